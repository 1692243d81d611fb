package config

import "fmt"

// HTTP says where the doors for HTTP are, and who may come in.
type HTTP struct {
	Listen  string   `koanf:"listen"`  // such as 127.0.0.1:8080; empty: nowhere
	Keys    string   `koanf:"keys"`    // the file of keys; empty: keys.json in the data folder
	Origins []string `koanf:"origins"` // of web pages that may call, such as https://game.example
}

func addHTTPDefaults(defaults map[string]any) map[string]any {
	defaults["http.listen"], defaults["http.keys"], defaults["http.origins"] = "", "", []string{}
	return defaults
}

func (h HTTP) check() error {
	if h.Listen != "" && !isAddress(h.Listen) {
		return &Error{"http.listen", fmt.Sprintf("is %q; write an address such as 127.0.0.1:8080", h.Listen)}
	}
	return nil
}
