package config

import (
	"net/url"

	"github.com/forsooth-npc/forsooth/internal/limits"
)

// Outbound bounds whom this process sends requests to.
type Outbound struct {
	// The only hosts at which models, the sidecar, moderation hooks and the report's webhook may be, such as
	// `llm.example.com`, `llm.example.com:8443` or `*.example.com`. Empty: every host, except
	// addresses at which clouds hand out credentials, such as `169.254.169.254`. Those are asked
	// only where this list names them. Redirects are never followed.
	List []string `koanf:"hosts"`
}

// Hosts are the hosts of the list, which was checked when it was read.
func (o Outbound) Hosts() limits.Hosts {
	hosts, err := limits.ParseHosts(o.List)
	if err != nil { // nobody is better than everybody
		hosts, _ = limits.ParseHosts([]string{"invalid"})
	}
	return hosts
}

// checkHosts refuses a list that holds no hosts, and settings that name one beside it.
func (s *Settings) checkHosts() error {
	hosts, err := limits.ParseHosts(s.Outbound.List)
	if err != nil {
		return &Error{"outbound.hosts", err.Error()}
	}
	for key, address := range map[string]string{"llm.url": s.LLM.URL, "llm.secondary.url": s.LLM.Secondary.URL,
		"grounding.nli.url": s.Grounding.NLI.URL, "guards.report.webhook": s.Guards.Report.Webhook} {
		u, err := url.Parse(address)
		if address == "" || err != nil {
			continue
		}
		if err := hosts.Check(u); err != nil {
			return &Error{key, err.Error()}
		}
	}
	return nil
}
