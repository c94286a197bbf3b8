package responses

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// accountOf reads the id of the ChatGPT account from a token, "" if it names none.
// The token is not verified; the service does that.
func accountOf(token string) string {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return ""
	}
	data, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil {
		return ""
	}
	var claims struct {
		Auth struct {
			Account text `json:"chatgpt_account_id"`
		} `json:"https://api.openai.com/auth"`
		Account text `json:"chatgpt_account_id"`
	}
	if json.Unmarshal(data, &claims) != nil {
		return ""
	}
	if claims.Auth.Account != "" {
		return string(claims.Auth.Account)
	}
	return string(claims.Account)
}
