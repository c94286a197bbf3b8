package usage

import (
	"time"

	"hermes-tui/agent/event"
)

// reasons say why a call got no more from the cache, where no change of the request
// says it.
var reasons = map[event.CacheCause]string{
	event.CacheFirst:    "the first call of this agent since the program was started: it fills the cache",
	event.CacheSmall:    "too short to be kept in a cache",
	event.CacheModel:    "another model answers",
	event.CacheTools:    "the tools changed",
	event.CacheSystem:   "the system prompt changed",
	event.CacheSettings: "the request is made in another way",
	event.CacheHistory:  "an earlier message changed",
	event.CacheNote:     "the call before had a message that was for it only",
	event.CacheDropped:  "only something was added, and it should still have been there",
	event.CacheUntold:   "the provider reports nothing about a cache",
}

// changed reports whether a cause is a change of the request.
func changed(c event.CacheCause) bool {
	switch c {
	case event.CacheModel, event.CacheTools, event.CacheSystem, event.CacheSettings, event.CacheHistory, event.CacheNote:
		return true
	}
	return false
}

// advice says what helps, empty where nothing has to.
func advice(r event.CacheReport) string {
	switch r.Cause {
	case event.CacheSmall:
		return "Nothing to do: prompts are kept from about 1,000 tokens on, for some models from 4,000."
	case event.CacheModel:
		return "Each model has a cache of its own. Change it at the beginning, or when it is worth sending everything once more."
	case event.CacheTools:
		return "Tools stand before everything else, so a change to one makes all of it new. Set them up before a session begins; the last call of a turn whose calls are used up goes without tools (agent.max_turns)."
	case event.CacheSystem:
		return "It is built again when another model answers or a folder becomes trusted. Do that before a session begins."
	case event.CacheSettings:
		return "Set the effort (/reasoning) and the time for which prompts are kept before a session begins."
	case event.CacheHistory:
		return "Shortening a long history does this once, and so does going back (/rewind); the calls after it are cheap again."
	case event.CacheNote:
		return "Nothing to do: it kept the model going, and is not worth keeping."
	case event.CacheExpired:
		if r.Keep < time.Hour {
			return "Go on sooner, or set prompt_caching.cache_ttl to 1h where the provider offers it: filling costs more then, and a break less."
		}
		return "After a long break, /compress or a new session (/new) makes the next call send less."
	case event.CacheDropped:
		return "Nothing to do: the provider let go of it early, or another of its machines answered."
	}
	return ""
}
