package bedrock

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/smithy-go/auth/bearer"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// exchange is the HTTP client of one request: it completes what the SDK has signed
// and keeps the response, which we read ourselves.
type exchange struct {
	client *Client
	whole  bool // the answer is asked for in one piece
	resp   *http.Response
}

// attach puts the exchange under one call of the SDK.
func (x *exchange) attach(o *bedrockruntime.Options) {
	o.HTTPClient = x
	o.APIOptions = append(o.APIOptions, leaveResponse)
	if x.client.query != "" || x.whole {
		o.APIOptions = append(o.APIOptions, x.readdress)
	}
}

// The operations, as they end the path: the same request is answered as a stream or
// in one piece.
const streamOperation, wholeOperation = "/converse-stream", "/converse"

// readdress puts the query of the base URL, which the SDK drops, and the operation
// that does not stream where the signature covers them.
func (x *exchange) readdress(stack *middleware.Stack) error {
	return stack.Finalize.Insert(middleware.FinalizeMiddlewareFunc("Readdress", func(
		ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler,
	) (middleware.FinalizeOutput, middleware.Metadata, error) {
		if req, ok := in.Request.(*smithyhttp.Request); ok {
			req.URL.RawQuery = x.client.query
			for _, path := range []*string{&req.URL.Path, &req.URL.RawPath} {
				if before, streams := strings.CutSuffix(*path, streamOperation); x.whole && streams {
					*path = before + wholeOperation
				}
			}
		}
		return next.HandleFinalize(ctx, in)
	}), "ResolveEndpointV2", middleware.After)
}

// Do implements the SDK's HTTPClient.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	req.Header.Del("User-Agent") // ours is the transport's; it is in no signature
	for k, v := range x.client.config.Headers {
		req.Header.Set(k, v)
	}
	resp, err := x.client.config.Transport.Do(req) // closed by the stream
	if err != nil {
		return nil, err
	}
	x.resp = resp
	return resp, nil
}

// leaveResponse keeps the SDK from reading the body of the response, which it would
// do on goroutines of its own and without telling a whole answer from a part.
func leaveResponse(stack *middleware.Stack) error {
	for _, id := range []string{"OperationEventStreamDeserializer", "OperationDeserializer"} {
		if _, err := stack.Deserialize.Remove(id); err != nil {
			return fmt.Errorf("prepare the response: %w", err)
		}
	}
	return stack.Deserialize.Add(middleware.DeserializeMiddlewareFunc("LeaveResponse", leave), middleware.After)
}

func leave(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (
	middleware.DeserializeOutput, middleware.Metadata, error,
) {
	out, data, err := next.HandleDeserialize(ctx, in)
	out.Result = &bedrockruntime.ConverseStreamOutput{}
	return out, data, err
}

// tokenSigner puts a bearer token on a request. The SDK's own insists on TLS, which
// local gateways do not have.
type tokenSigner struct{}

// SignWithBearerToken implements bearer.Signer.
func (tokenSigner) SignWithBearerToken(_ context.Context, token bearer.Token, message bearer.Message) (bearer.Message, error) {
	req, ok := message.(*smithyhttp.Request)
	if !ok {
		return nil, fmt.Errorf("cannot sign a %T", message)
	}
	req.Header.Set("Authorization", "Bearer "+token.Value)
	return req, nil
}
