package config

import "fmt"

// HTTP says where the doors for HTTP are, and who may come in.
type HTTP struct {
	// The address of the doors, such as `127.0.0.1:8080`; `up --http` sets it. Empty: none, except
	// for `dev` and `serve gateway`.
	Listen string `koanf:"listen"`
	// The file of keys, which `forsooth keys` writes. Empty: `keys.json` in the data folder.
	Keys string `koanf:"keys"`
	// Origins of web pages that may call, such as `https://game.example`. `*`: all, where there
	// are keys. The variable separates several by commas.
	Origins []string `koanf:"origins"`
	// The folder of results of `forsooth eval --json` that the inspector shows. Empty: `evals` in
	// the data folder.
	Results string `koanf:"results"`
}

func addHTTPDefaults(defaults map[string]any) map[string]any {
	defaults["http.listen"], defaults["http.keys"], defaults["http.origins"] = "", "", []string{}
	defaults["http.results"] = ""
	return defaults
}

func (h HTTP) check() error {
	if h.Listen != "" && !isAddress(h.Listen) {
		return &Error{"http.listen", fmt.Sprintf("is %q; write an address such as 127.0.0.1:8080", h.Listen)}
	}
	return nil
}
