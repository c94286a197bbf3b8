package logintest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
)

// newDevice begins a login on another device.
func (i *Issuer) newDevice() *device {
	i.n++
	d := &device{id: fmt.Sprintf("device-%s-%d", Canary, i.n), code: fmt.Sprintf("WXYZ-%04d", i.n), state: "waiting"}
	i.devices[d.id], i.byCode[d.code] = d, d
	return d
}

func (i *Issuer) deviceStandard(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if r.ParseForm() != nil || r.PostForm.Get("client_id") != Client {
		Refuse(w, http.StatusUnauthorized, "invalid_client", "")
		return
	}
	d := i.newDevice()
	write(w, map[string]any{
		"device_code": d.id, "user_code": d.code, "verification_uri": i.URL + "/page", "verification_uri_complete": i.URL + "/page?code=" + d.code,
		"expires_in": 600, "interval": 5,
	})
}

// pollStandard answers whether a code was used. The mutex is held.
func (i *Issuer) pollStandard(w http.ResponseWriter, id string) {
	d := i.devices[id]
	if d == nil {
		Refuse(w, http.StatusBadRequest, "invalid_grant", "no device code is "+id)
		return
	}
	switch d.state {
	case "approved":
		delete(i.devices, id)
		i.give(w)
	case "denied":
		Refuse(w, http.StatusBadRequest, "access_denied", "")
	case "expired":
		Refuse(w, http.StatusBadRequest, "expired_token", "")
	case "slow":
		d.state = "waiting"
		Refuse(w, http.StatusBadRequest, "slow_down", "")
	default:
		Refuse(w, http.StatusBadRequest, "authorization_pending", "")
	}
}

func (i *Issuer) deviceCodes(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Client string `json:"client_id"`
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if json.NewDecoder(r.Body).Decode(&in) != nil || in.Client != Client {
		Refuse(w, http.StatusUnauthorized, "invalid_client", "")
		return
	}
	d := i.newDevice()
	write(w, map[string]any{"device_auth_id": d.id, "user_code": d.code, "interval": "5"})
}

func (i *Issuer) pollCodes(w http.ResponseWriter, r *http.Request) {
	var in struct {
		ID   string `json:"device_auth_id"`
		Code string `json:"user_code"`
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if json.NewDecoder(r.Body).Decode(&in) != nil || i.devices[in.ID] == nil || i.devices[in.ID].code != in.Code {
		Refuse(w, http.StatusBadRequest, "invalid_request", "no device is "+in.ID)
		return
	}
	switch i.devices[in.ID].state {
	case "approved":
	case "denied":
		Refuse(w, http.StatusForbidden, "access_denied", "")
		return
	default:
		w.WriteHeader(http.StatusForbidden)
		return
	}
	delete(i.devices, in.ID)
	i.n++
	code, verifier := fmt.Sprintf("code-%s-%d", Canary, i.n), fmt.Sprintf("verifier-%s-0123456789-0123456789-%d", Canary, i.n)
	i.codes[code] = url.Values{"redirect_uri": {i.URL + "/deviceauth/callback"}, "code_challenge": {challenge(verifier)}}
	write(w, map[string]any{"authorization_code": code, "code_verifier": verifier, "code_challenge": challenge(verifier)})
}
