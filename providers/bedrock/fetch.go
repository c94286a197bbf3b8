package bedrock

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

const (
	// metadataConnect and metadataAnswer bound what the metadata service of EC2 may
	// take, which answers within milliseconds where it exists.
	metadataConnect = 250 * time.Millisecond
	metadataAnswer  = 500 * time.Millisecond
)

// fetcher sends the requests that the SDK makes to get credentials. It is safe for
// concurrent use.
type fetcher struct {
	transport *transport.Transport
	metadata  *awshttp.BuildableClient
}

func newFetcher(t *transport.Transport) *fetcher {
	direct := awshttp.NewBuildableClient().WithTransportOptions(func(tr *http.Transport) {
		tr.Proxy, tr.ResponseHeaderTimeout, tr.DisableKeepAlives = nil, metadataAnswer, true
	})
	return &fetcher{transport: t, metadata: direct.WithTimeout(metadataConnect + metadataAnswer)}
}

// Do implements the SDK's HTTPClient. A status that is no success is a response
// here, because the SDK reads the errors of its services itself.
func (f *fetcher) Do(req *http.Request) (*http.Response, error) {
	if isMetadata(req.URL.Hostname()) {
		return f.metadata.Do(req)
	}
	req.Header.Del("User-Agent") // ours is the transport's
	resp, err := f.transport.Do(req)
	var e *providers.Error
	if err == nil || !errors.As(err, &e) || e.Kind != providers.ErrorStatus {
		return resp, err
	}
	header := e.Header.Clone()
	header.Del("Content-Length")
	return &http.Response{
		Status: http.StatusText(e.Status), StatusCode: e.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(bytes.NewReader(e.Body)), ContentLength: int64(len(e.Body)), Request: req,
	}, nil
}

// isMetadata reports whether a host is the metadata service of EC2.
func isMetadata(host string) bool {
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	return addr.IsLinkLocalUnicast() || netip.MustParsePrefix("fd00:ec2::/32").Contains(addr)
}
