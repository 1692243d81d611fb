package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// asyncapiFile is the AsyncAPI document, beside the folder of the schemas.
const asyncapiFile = "asyncapi.yaml"

// asyncapi writes the document from the table of channels. Addresses come from the
// functions of internal/protocol, payloads from the schemas of its types.
func asyncapi() ([]byte, error) {
	var all, messages, operations yaml.MapSlice
	for _, c := range channels {
		body, err := c.channel()
		if err != nil {
			return nil, fmt.Errorf("channel %s: %w", c.name, err)
		}
		all = append(all, yaml.MapItem{Key: c.name, Value: body})
		message, err := c.message()
		if err != nil {
			return nil, fmt.Errorf("message of %s: %w", c.name, err)
		}
		messages = append(messages, yaml.MapItem{Key: c.name, Value: message})
		if c.answer != nil {
			all = append(all, yaml.MapItem{Key: c.name + "-answer", Value: yaml.MapSlice{
				{Key: "address", Value: nil},
				{Key: "description", Value: "The inbox that the asker named."},
				{Key: "messages", Value: refTo("message", "#/components/messages/"+c.name+"-answer")},
			}})
			answer, err := c.answer.message()
			if err != nil {
				return nil, fmt.Errorf("answer of %s: %w", c.name, err)
			}
			messages = append(messages, yaml.MapItem{Key: c.name + "-answer", Value: answer})
		}
		operations = append(operations, c.operations()...)
	}
	doc := yaml.MapSlice{
		{Key: "asyncapi", Value: "3.0.0"},
		{Key: "info", Value: yaml.MapSlice{
			{Key: "title", Value: "Forsooth"},
			{Key: "version", Value: schema.Version},
			{Key: "description", Value: about},
			{Key: "license", Value: yaml.MapSlice{{Key: "name", Value: "Apache-2.0"}}},
		}},
		{Key: "defaultContentType", Value: "application/json"},
		{Key: "servers", Value: yaml.MapSlice{{Key: "broker", Value: yaml.MapSlice{
			{Key: "host", Value: "127.0.0.1:4222"},
			{Key: "protocol", Value: "nats"},
			{Key: "description", Value: "A NATS server with JetStream: that of `forsooth up`, or one's own."},
		}}}},
		{Key: "channels", Value: all},
		{Key: "operations", Value: operations},
		{Key: "components", Value: yaml.MapSlice{
			{Key: "parameters", Value: parametersOf()},
			{Key: "messages", Value: messages},
		}},
	}
	data, err := yaml.MarshalWithOptions(doc, yaml.IndentSequence(true), yaml.UseLiteralStyleIfMultiline(true))
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", asyncapiFile, err)
	}
	return append([]byte("# Made by go generate ./internal/schemagen; do not edit.\n"), data...), nil
}

const about = `The subjects on which Forsooth's services and a game's backend speak.
Operations are told from the mesh's side: what it receives, a backend sends.
Ids in subjects are letters, digits, - and _, at most 64 of them, and never _ alone.
Messages are open: whoever reads one leaves fields that it does not know as they are.`

func refTo(key, ref string) yaml.MapSlice {
	return yaml.MapSlice{{Key: key, Value: yaml.MapSlice{{Key: "$ref", Value: ref}}}}
}

// ref is a reference by itself.
func ref(to string) yaml.MapSlice { return yaml.MapSlice{{Key: "$ref", Value: to}} }

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// channel is the Channel Object.
func (c *channel) channel() (yaml.MapSlice, error) {
	out := yaml.MapSlice{{Key: "address", Value: c.address}, {Key: "description", Value: c.about}}
	var named yaml.MapSlice
	for _, m := range placeholder.FindAllStringSubmatch(c.address, -1) {
		if parameters[m[1]] == "" {
			return nil, fmt.Errorf("%s is no parameter", m[0])
		}
		named = append(named, yaml.MapItem{Key: m[1], Value: ref("#/components/parameters/" + m[1])})
	}
	if named != nil {
		out = append(out, yaml.MapItem{Key: "parameters", Value: named})
	}
	out = append(out, yaml.MapItem{Key: "messages", Value: refTo("message", "#/components/messages/"+c.name)})
	if c.stream != "" {
		out = append(out, yaml.MapItem{Key: "x-stream", Value: c.stream})
	}
	return out, nil
}

// message is the Message Object: payload, headers and an example.
func (p *payload) message() (yaml.MapSlice, error) {
	var out yaml.MapSlice
	switch {
	case p.document != "":
		out = append(out, yaml.MapItem{Key: "payload", Value: ref("schema/" + p.document + suffix)})
	case p.words != nil:
		out = append(out, yaml.MapItem{Key: "contentType", Value: "text/plain"},
			yaml.MapItem{Key: "payload",
				Value: yaml.MapSlice{{Key: "type", Value: "string"}, {Key: "description", Value: *p.words}}})
	default:
		out = append(out, yaml.MapItem{Key: "payload", Value: yaml.MapSlice{{Key: "type", Value: "object"}}})
	}
	if len(p.headers) > 0 {
		var properties yaml.MapSlice
		for _, h := range p.headers {
			properties = append(properties,
				yaml.MapItem{Key: h.name, Value: yaml.MapSlice{{Key: "type", Value: "string"},
					{Key: "description", Value: h.about}}})
		}
		out = append(out, yaml.MapItem{Key: "headers",
			Value: yaml.MapSlice{{Key: "type", Value: "object"}, {Key: "properties", Value: properties}}})
	}
	if p.example == nil {
		return out, nil
	}
	value, err := plain(p.example)
	if err != nil {
		return nil, err
	}
	example := yaml.MapSlice{{Key: "payload", Value: value}}
	if len(p.headers) > 0 {
		var headers yaml.MapSlice
		for _, h := range p.headers {
			headers = append(headers, yaml.MapItem{Key: h.name, Value: h.example})
		}
		example = append(yaml.MapSlice{{Key: "headers", Value: headers}}, example...)
	}
	return append(out, yaml.MapItem{Key: "examples", Value: []any{example}}), nil
}

// plain is a value as its JSON has it, with the order of its fields.
func plain(v any) (any, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var out any
	if err := yaml.UnmarshalWithOptions(data, &out, yaml.UseOrderedMap()); err != nil {
		return nil, err
	}
	return out, nil
}

// operations are what the mesh does on a channel.
func (c *channel) operations() yaml.MapSlice {
	var out yaml.MapSlice
	for _, action := range []string{"receive", "send"} {
		if !strings.Contains(c.mesh, action) {
			continue
		}
		op := yaml.MapSlice{{Key: "action", Value: action}, {Key: "channel", Value: ref("#/channels/" + c.name)}}
		if c.answer != nil {
			op = append(op, yaml.MapItem{Key: "reply", Value: yaml.MapSlice{
				{Key: "address", Value: yaml.MapSlice{{Key: "location", Value: "$message.header#/reply-to"},
					{Key: "description", Value: "NATS's own reply subject."}}},
				{Key: "channel", Value: ref("#/channels/" + c.name + "-answer")},
			}})
		}
		out = append(out, yaml.MapItem{Key: action + "-" + c.name, Value: op})
	}
	return out
}
