package config

import (
	"fmt"
	"net/url"
)

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

// Traces say where the traces of turns go. The variables OTEL_… that OpenTelemetry
// names hold too, where these say nothing.
type Traces struct {
	// A collector that takes OTLP over HTTP, such as `http://localhost:4318`. Empty: as
	// `OTEL_EXPORTER_OTLP_ENDPOINT` says, else no traces.
	URL string `koanf:"url"`
	// The share of turns that are traced, from 0 to 1. It holds where the backend has not decided
	// and `OTEL_TRACES_SAMPLER` is empty.
	Share float64 `koanf:"share"`
}

func addTracesDefaults(defaults map[string]any) map[string]any {
	defaults["traces.url"], defaults["traces.share"] = "", 1.0
	return defaults
}

func (t Traces) check() error {
	if u, err := url.Parse(t.URL); t.URL != "" &&
		(err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return &Error{"traces.url", fmt.Sprintf("is %q; write the address of a collector that takes OTLP over HTTP, "+
			"such as http://localhost:4318", t.URL)}
	}
	if !(t.Share >= 0 && t.Share <= 1) {
		return &Error{"traces.share", fmt.Sprintf("is %g; it must lie between 0 and 1", t.Share)}
	}
	return nil
}
