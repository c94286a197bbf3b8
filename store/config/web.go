package config

// Web says how pages of the web are read for agents.
type Web struct {
	Enabled        bool    `yaml:"enabled" default:"true" class:"session" doc:"Let agents read pages of the web (web_extract). Each site is asked about once, or what approvals.hosts does not list."`
	ExtractChars   int     `yaml:"extract_char_limit" default:"15000" range:"2000..500000" class:"session" doc:"Characters of a page that agents are shown; of a longer one the middle is left out, and all of it is kept in a file."`
	SearchBackend  string  `yaml:"search_backend" enum:"|brave|tavily|exa|parallel|firecrawl|searxng|exa-free|parallel-free|keenable|duckduckgo|off" class:"session" doc:"Service that searches the web (web_search). Empty is those of brave, tavily, exa, parallel, firecrawl and searxng whose variables are set (docs/web.md), otherwise exa-free, parallel-free, keenable and duckduckgo, which need no key; one stands in for another that does not let us search. off searches nothing."`
	SearchURL      string  `yaml:"search_url" check:"url" class:"session" doc:"Where that service is, in place of its own address; searxng, which is meant where search_backend is empty, has none of its own."`
	ExtractTimeout Seconds `yaml:"extract_timeout" default:"120" range:"1..3600" class:"session" doc:"Seconds that reading the pages of one call, or a search, may take."`
}
