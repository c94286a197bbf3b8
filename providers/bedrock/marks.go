package bedrock

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
)

// markedMessages is how many messages from the end are marked for the cache. With
// the system prompt they are the four marks that a request may have.
const markedMessages = 3

// point is a mark of the prompt cache. Without a time it lasts five minutes, which
// is also the longest that some models know.
func (t traits) point(last time.Duration) types.CachePointBlock {
	p := types.CachePointBlock{Type: types.CachePointTypeDefault}
	if t.hours && last > 5*time.Minute {
		p.Ttl = types.CacheTTLOneHour
	}
	return p
}

// mark puts cache points behind the system prompt and the last messages.
func mark(in *bedrockruntime.ConverseStreamInput, p types.CachePointBlock) {
	if len(in.System) > 0 {
		in.System = append(in.System, &types.SystemContentBlockMemberCachePoint{Value: p})
	}
	for i := max(0, len(in.Messages)-markedMessages); i < len(in.Messages); i++ {
		in.Messages[i].Content = append(in.Messages[i].Content, &types.ContentBlockMemberCachePoint{Value: p})
	}
}
