package config

import (
	"fmt"
	"net/url"
)

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
