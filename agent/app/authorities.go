package app

import (
	"fmt"
	"slices"
	"strings"

	"hermes-tui/tools"
)

// authorityVariables name the files and folders with the certificates that programs trust.
var authorityVariables = strings.Fields(`SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS GIT_SSL_CAINFO GIT_SSL_CAPATH REQUESTS_CA_BUNDLE
	CURL_CA_BUNDLE PIP_CERT CARGO_HTTP_CAINFO AWS_CA_BUNDLE npm_config_cafile NPM_CONFIG_CAFILE`)

// hiddenAuthorities says which of them lie where confined commands read nothing.
func hiddenAuthorities(env []string, hides func(string) bool) (notes []string) {
	by := map[string][]string{}
	var files []string
	for _, name := range authorityVariables {
		value, _ := tools.Variable(env, name)
		for file := range strings.SplitSeq(value, ":") {
			if file == "" || !hides(file) {
				continue
			}
			if by[file] = append(by[file], name); !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
	}
	for _, file := range files {
		notes = append(notes, fmt.Sprintf("Confined commands cannot read the certificates in %s (%s), which lie where keys are kept, so that what they connect to may not be trusted. Move them to another folder, and name that.",
			file, strings.Join(by[file], ", ")))
	}
	return notes
}
