// Package script plays model answers that are written down instead of thought
// up: for tests, for measurements, and for people who have no model yet.
//
// A [Scenario] is a list of rules. Each rule says which requests it answers and
// with which steps: text, reasoning, tool calls, pauses, and everything that
// can go wrong between a client and a model. The first rule that matches a
// request and may still fire answers it. A scenario is played in one of two
// ways with the same meaning:
//
//   - [New] makes a [providers.Client] that plays it in this process;
//   - a [Player] gives what a server has to send, beat by beat, with failures that
//     can be real ones: a reset is a TCP reset, an HTML page is an HTML page.
//
// [Demo] is a client of another kind: a fixed script that drives whatever real
// tools a request offers and reports what they really returned.
//
// # Files
//
// [Load] and [Parse] read scenarios from JSON. A key that there is not is an error.
//
//	{
//	  "name":  "flaky",             shown in errors; the file's name otherwise
//	  "note":  "any text",          allowed here, in rules and in steps
//	  "rate":  90,                  tokens per second; 0 or absent: at once
//	  "split": 0,                   characters per delta; 0: by words
//	  "reasoning_field": "reasoning_content",    or "reasoning", on the wire
//	  "models": ["a", {"id": "b", "context_length": 32000}],
//	  "rules": [
//	    {"match": {"user": "(?i)list", "results": 0}, "times": 1, "steps": [
//	      {"reasoning": "They want a list."},
//	      {"call": {"name": "terminal", "args": {"command": "ls"}}}
//	    ]},
//	    {"match": {"tool": "terminal"}, "steps": [{"text": "I see:\n{{last_tool}}"}]}
//	  ]
//	}
//
// All conditions of a match must hold; an empty match holds always. What counts
// is the newest user message and what came after it:
//
//	user         regular expression on the newest user message
//	tool_result  regular expression on the newest tool result since then
//	tool         name of the tool that gave that result
//	results      number of tool results since then
//	system       regular expression on the system prompt
//	tools        true: the request offers tools, false: it does not
//	nth          number of the request since the start, counted from 1
//
// A step is an object with exactly one of these keys. The steps marked * also
// take "rate" and "split", which then replace those of the scenario.
//
//	text *       answer text; {{last_user}} and {{last_tool}} are filled in
//	reasoning *  the same as reasoning
//	tokens       {n, rate, split, kind: markdown | prose, seed, reasoning}
//	call *       {name, args: object | raw_args: text, id}
//	usage        {input, output, cache_read, cache_write, reasoning} | "none"
//	finish       finish reason, as the server would write it | "none"
//	sleep_ms     pause
//	stall        milliseconds of silence, true: until the client gives up
//	error        {status, message, type, code, body | html, headers,
//	             retry_after, with_id}
//	cut          true, "reset": the connection is reset; "half": in the middle
//	             of an event; "clean": a proper end without a finish reason
//	raw          bytes for the wire as they are; raw_base64 for any bytes
//	malformed    true: an event that is not JSON
//	keepalive    number of comment lines
//	open         true: the response headers and nothing more
//
// The response begins with the first step that is not an error, a pause or a
// reset; an error before that is an HTTP status, afterwards an event in the
// stream. Where a rule says nothing of it, usage is counted from the request
// and the answer (four characters are a token) and the finish reason is
// tool_calls or stop. A request that no rule matches is answered with status
// 400 and the code no_rule.
//
// # Guarantees
//
// Scenarios are read-only while they are played, and may be played by several
// clients and players at once; the counters of rules belong to the client or
// player. Both are safe for concurrent use, a stream and an [Answer] belong to
// one goroutine. In-process streams start no goroutines. A cancelled stream stops
// at once, whatever it waits for. The same requests in the same order give the
// same bytes, except for the creation time of an answer.
package script
