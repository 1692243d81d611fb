package world

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// companionSuffix makes NAME.meta.yaml the companion of NAME.
const companionSuffix = ".meta.yaml"

// claimKinds are what allowed_for may list.
var claimKinds = []string{string(schema.ClaimWorld), string(schema.ClaimState),
	string(schema.ClaimSharedPast), string(schema.ClaimSelf)}

// readMetadata reads a companion into the document it belongs to.
func readMetadata(l *log, d *Document, data []byte) {
	f, ok := newFields(l, data)
	if !ok {
		return
	}
	if !f.has("created_at") {
		l.errorf(f.line, "`created_at` is missing; add unix seconds or a date such as 1402-05-03")
	}
	d.CreatedAt = f.time("created_at")
	d.Author = f.need("author", "who wrote it, or unknown")
	d.Type = f.need("type", "book, letter, note, mail, log or the like")
	d.Summary = f.need("summary", "one line on what it is about")
	if !f.has("keywords") {
		l.errorf(f.line, "`keywords` is missing; add a list such as [mill, fire]")
	}
	d.Keywords = f.list("keywords")
	d.AllowedFor = f.someList("allowed_for")
	for _, kind := range d.AllowedFor {
		if !slices.Contains(claimKinds, kind) {
			f.wrong("allowed_for", "lists %q; the kinds of claim are %s", kind, strings.Join(claimKinds, ", "))
		}
	}
	d.KnownBy = f.someList("known_by")
	for _, who := range d.KnownBy {
		if msg := checkAudience(who); msg != "" {
			f.wrong("known_by", "lists %q; %s", who, msg)
		}
	}
	d.ValidFrom, d.ValidTo = f.time("valid_from"), f.time("valid_to")
	if !d.ValidFrom.IsZero() && !d.ValidTo.IsZero() && d.ValidTo.Before(d.ValidFrom) {
		f.wrong("valid_to", "lies before valid_from; swap them")
	}
	d.Requires, d.Condition = f.condition("requires")
	d.Belief, d.Language = readBelief(f), f.text("language")
	d.Promoted = f.text("promoted_from")
	d.knownByLine = f.at("known_by")
	f.warnUnknown()
}

// BeliefRumour marks a document that is spoken only as hearsay.
const BeliefRumour = "rumour"

// readBelief takes the other spelling too: a rumour must not be told as a fact
// for the want of a letter.
func readBelief(f *fields) string {
	belief := strings.ToLower(f.text("belief"))
	switch belief {
	case "rumor", "rumours", "rumors", "hearsay", "gossip":
		return BeliefRumour
	case "", BeliefRumour:
		return belief
	}
	f.log.warnf(f.at("belief"), "`belief` is %q; only %s changes how a thing is told", belief, BeliefRumour)
	return belief
}

// someList is a list that, where it is given, must not be empty: an empty list
// must not read as "no limit".
func (f *fields) someList(key string) []string {
	out := f.list(key)
	if seq, ok := f.nodes[key].(*ast.SequenceNode); ok && len(seq.Values) == 0 {
		f.wrong(key, "is empty; name at least one or leave it out")
	}
	return out
}

// time is an instant as unix seconds, RFC 3339, or a date and time without zone
// (UTC).
func (f *fields) time(key string) time.Time {
	n := f.take(key)
	if n == nil {
		return time.Time{}
	}
	s, ok := scalar(n)
	if !ok {
		f.wrong(key, "is %s; write unix seconds or a date such as 1402-05-03", kindOf(n))
		return time.Time{}
	}
	t, err := ParseTime(strings.TrimSpace(s))
	if err != nil {
		f.wrong(key, "%v", err)
		return time.Time{}
	}
	if _, number := n.(*ast.IntegerNode); number && t.Year() == 1970 && t.YearDay() == 1 && t.Unix() > 0 {
		f.log.warnf(f.at(key), "`%s%s` %s is read as unix seconds, which is %s; for a year write %q",
			f.where, key, s, t.Format(time.DateTime), fmt.Sprintf("%04s-01-01", s))
	}
	return t
}

var timeForms = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04",
	"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"}

// ParseTime reads unix seconds, RFC 3339, or a date with or without a time of
// day (UTC). Years run from 1 to 9999, so that every instant can be written as
// RFC 3339 again.
func ParseTime(s string) (time.Time, error) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		t := time.Unix(n, 0).UTC()
		if t.Year() < 1 || t.Year() > 9999 || t.IsZero() {
			return time.Time{}, fmt.Errorf("is %s seconds, outside the years 1 to 9999", s)
		}
		return t, nil
	}
	for _, form := range timeForms {
		t, err := time.Parse(form, s)
		if err != nil {
			continue
		}
		if t = t.UTC(); t.Year() < 1 || t.Year() > 9999 || t.IsZero() {
			break
		}
		return t, nil
	}
	return time.Time{}, fmt.Errorf("is %q; write unix seconds or a date such as 1402-05-03 or 1402-05-03T18:00:00Z", s)
}
