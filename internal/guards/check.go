package guards

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Error says which setting is wrong and how to mend it.
type Error struct{ Where, What string }

func (e *Error) Error() string { return e.Where + ": " + e.What }

// fault is an error at a key of the section.
func fault(key, format string, args ...any) error {
	return &Error{"guards." + key, fmt.Sprintf(format, args...)}
}

// oneOf refuses a word that is none of a list.
func oneOf(key, word string, words []string) error {
	if slices.Contains(words, word) {
		return nil
	}
	last := len(words) - 1
	return fault(key, "is %q; write %s or %s", word, strings.Join(words[:last], ", "), words[last])
}

// Check says the first thing that is wrong with the settings.
func (s *Settings) Check() error {
	if s.Preset != "" {
		if err := oneOf("preset", s.Preset, Presets()); err != nil {
			return err
		}
	}
	for _, check := range []func() error{s.Grounding.check, s.Consistency.check, s.Faithfulness.check, s.Report.check} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (g *Grounding) check() error {
	if err := oneOf("grounding.mode", g.Mode, []string{ModeAsync, ModeSync}); err != nil {
		return err
	}
	if err := oneOf("grounding.on_verifier_failure", g.OnUnknown,
		[]string{UnknownQueue, UnknownBlock, UnknownAllow}); err != nil {
		return err
	}
	for _, kind := range g.Skip {
		if err := oneOf("grounding.skip_for_types", kind, kinds); err != nil {
			return err
		}
	}
	if err := chosen("grounding.verifier_model", g.VerifierModel); err != nil {
		return err
	}
	return share("grounding.min_confidence_after_penalty", g.Floor)
}

var kinds = []string{string(schema.MemoryFact), string(schema.MemoryPreference), string(schema.MemoryOccurrence),
	string(schema.MemoryPromise), string(schema.MemoryRelation), string(schema.MemoryEntity)}

func (c *Consistency) check() error {
	const section = "consistency_scan."
	if err := checkSchedule(section+"schedule", c.Schedule); err != nil {
		return err
	}
	if err := checkZone(section+"schedule_tz", c.Zone); err != nil {
		return err
	}
	if err := share(section+"signals.semantic_similarity_threshold", c.Signals.Similarity); err != nil {
		return err
	}
	if c.Signals.Similarity < lowestSimilarity {
		return fault(section+"signals.semantic_similarity_threshold", "is %v; below %v any two sentences are alike",
			c.Signals.Similarity, lowestSimilarity)
	}
	if d := c.Signals.DriftDays; d < 1 || d > 3650 {
		return fault(section+"signals.temporal_drift_days", "is %d; it must lie between 1 and 3650", d)
	}
	if err := chosen(section+"judge_model", c.JudgeModel); err != nil {
		return err
	}
	if n := c.MaxClusters; n < 1 || n > 10_000 {
		return fault(section+"max_clusters_per_scan", "is %d; it must lie between 1 and 10000", n)
	}
	return nil
}

func checkZone(key, zone string) error {
	if _, err := time.LoadLocation(zone); err != nil || zone == "" || zone == "Local" {
		return fault(key, "is %q, which is no time zone; write one such as Europe/Vienna or UTC", zone)
	}
	return nil
}

func (r *Report) check() error {
	const section = "report."
	if err := checkSchedule(section+"schedule", r.Schedule); err != nil {
		return err
	}
	if err := checkZone(section+"schedule_tz", r.Zone); err != nil {
		return err
	}
	if r.Webhook == "" {
		return nil
	}
	u, err := url.Parse(r.Webhook)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		// The address is not repeated: a secret may stand in it.
		return fault(section+"webhook", "is no address without a user; write one such as https://ops.example/forsooth")
	}
	return nil
}

// lowestSimilarity is where the scan's calibration begins.
const lowestSimilarity = 0.5

func (f *Faithfulness) check() error {
	const section = "faithfulness."
	if err := oneOf(section+"on_hallucination", f.Policy,
		[]string{PolicyWarn, PolicyRegenerate, PolicyBlock}); err != nil {
		return err
	}
	if err := chosen(section+"scorer_model", f.Model); err != nil {
		return err
	}
	if f.Correct && f.Policy == PolicyBlock {
		return fault(section+"correct", "is true and %son_hallucination is %s, which leaves nothing to correct; "+
			"write warn or "+
			"regenerate there, or false here", section, PolicyBlock)
	}
	if err := share(section+"risk_thresholds.medium", f.Risk.Medium); err != nil {
		return err
	}
	if err := share(section+"risk_thresholds.high", f.Risk.High); err != nil {
		return err
	}
	if f.Risk.High > f.Risk.Medium {
		return fault(section+"risk_thresholds.high", "is %v and medium %v; it must not be the larger", f.Risk.High,
			f.Risk.Medium)
	}
	return nil
}

// share refuses what is no share of one, and what is no number.
func share(key string, v float64) error {
	if v >= 0 && v <= 1 {
		return nil
	}
	return fault(key, "is %v; it must lie between 0 and 1", v)
}

// Holds says whether the sentences of a reply wait until all of it is scored, so
// that it cannot stream.
func (s *Settings) Holds() bool {
	f := s.Faithfulness
	return f.Enabled && (f.Policy == PolicyRegenerate || f.Policy == PolicyBlock)
}

// CheckStreaming refuses streaming that somebody asked for beside a policy that
// holds the reply. Streaming by default just turns off.
func (s *Settings) CheckStreaming(streaming, explicit bool) error {
	if !s.Holds() || !streaming || !explicit {
		return nil
	}
	return fault("faithfulness.on_hallucination", "is %s, which holds a reply until it is scored, but "+
		"grounding.streaming is set to true; take streaming out, or write warn",
		s.Faithfulness.Policy)
}

// cronFields bound the five fields of a schedule.
var cronFields = []struct {
	name     string
	from, to int
}{{"minute", 0, 59}, {"hour", 0, 23}, {"day of month", 1, 31}, {"month", 1, 12}, {"day of week", 0, 7}}

// checkSchedule refuses what is no cron line of five numeric fields.
func checkSchedule(key, line string) error {
	parts := strings.Fields(line)
	if len(parts) != len(cronFields) {
		return fault(key, "is %q; write five fields, such as \"0 3 * * *\" for three o'clock each night", line)
	}
	for i, part := range parts {
		f := cronFields[i]
		for _, item := range strings.Split(part, ",") {
			if !cronItem(item, f.from, f.to) {
				return fault(key, "is %q, whose %s %q is none; it must lie between %d and %d, or be *", line, f.name, item,
					f.from, f.to)
			}
		}
	}
	return nil
}

// cronItem reads "*", "3", "1-5" and each of them with "/2".
func cronItem(item string, from, to int) bool {
	span, step, stepped := strings.Cut(item, "/")
	if stepped && !within(step, 1, to) {
		return false
	}
	if span == "*" {
		return true
	}
	low, high, ranged := strings.Cut(span, "-")
	if !ranged {
		return within(low, from, to)
	}
	if !within(low, from, to) || !within(high, from, to) {
		return false
	}
	a, _ := strconv.Atoi(low)
	b, _ := strconv.Atoi(high)
	return a <= b
}

func within(s string, from, to int) bool {
	n, err := strconv.Atoi(s)
	return err == nil && strconv.Itoa(n) == s && n >= from && n <= to
}

// Change is a setting that differs between two files.
type Change struct {
	Key  string `json:"key"`
	From any    `json:"from"`
	To   any    `json:"to"`
	Says string `json:"says,omitempty"` // what the change does, where it has a direction
}

func (c Change) String() string {
	line := fmt.Sprintf("%s: %s → %s", c.Key, plain(c.From), plain(c.To))
	if c.Says != "" {
		line += " (" + c.Says + ")"
	}
	return line
}

// plain is a value as a file would have it.
func plain(v any) string {
	if words, ok := v.([]string); ok {
		return "[" + strings.Join(words, ", ") + "]"
	}
	if v == "" {
		return `""`
	}
	return fmt.Sprint(v)
}

// Diff are the settings in which b differs from a, in the order in which they are
// written. A preset is told by what it sets and not by its name.
func Diff(a, b Settings) []Change {
	var out []Change
	to := b.fields()
	for i, f := range a.fields() {
		from, then := f.read(), to[i].read()
		if f.key == "preset" || same(from, then) {
			continue
		}
		out = append(out, Change{Key: f.key, From: from, To: then, Says: says(f.key, from, then)})
	}
	return out
}

// same takes an absent list for an empty one.
func same(a, b any) bool {
	x, isList := a.([]string)
	y, _ := b.([]string)
	if isList && len(x) == 0 && len(y) == 0 {
		return true
	}
	return reflect.DeepEqual(a, b)
}

// directions say what a larger and what a smaller value of a threshold does.
var directions = map[string][2]string{
	"grounding.min_confidence_after_penalty":                 {"keeps less", "keeps more"},
	"consistency_scan.signals.semantic_similarity_threshold": {"finds fewer clusters", "finds more clusters"},
	"consistency_scan.signals.temporal_drift_days":           {"finds fewer clusters", "finds more clusters"},
	"faithfulness.risk_thresholds.medium":                    {"stricter", "laxer"},
	"faithfulness.risk_thresholds.high":                      {"stricter", "laxer"},
	"consistency_scan.max_clusters_per_scan":                 {"judges more a night", "judges fewer a night"},
}

func says(key string, from, to any) string {
	d, ok := directions[key]
	if !ok {
		return ""
	}
	if number(to) > number(from) {
		return d[0]
	}
	return d[1]
}

func number(v any) float64 {
	if n, ok := v.(int); ok {
		return float64(n)
	}
	x, _ := v.(float64)
	return x
}
