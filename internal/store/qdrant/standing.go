package qdrant

import (
	"context"

	qd "github.com/qdrant/go-client/qdrant"
)

// keptManifests bounds the worlds whose manifests are remembered: the names of their
// files, and nothing of what they say.
const keptManifests = 32

// standing is the manifest that was last seen, by which all requests of a turn go.
func (c *Corpus) standing(ctx context.Context, world, model string) (manifest, error) {
	if m, ok := c.manifests.Get(manifestID(world, model).GetUuid()); ok {
		return m, nil
	}
	return c.look(ctx, world, model)
}

// look is the manifest as it is now. It is read again only when a write has changed it,
// for that of a large world names many files.
func (c *Corpus) look(ctx context.Context, world, model string) (manifest, error) {
	id := manifestID(world, model)
	found, err := c.points(ctx, "read the manifest", []*qd.PointId{id}, qd.NewWithPayloadInclude(fieldWrite), false)
	if err != nil || len(found) == 0 {
		return manifest{}, err
	}
	write := found[0].GetPayload()[fieldWrite].GetStringValue()
	if m, ok := c.manifests.Get(id.GetUuid()); ok && m.Write == write {
		return m, nil
	}
	m, err := c.manifest(ctx, world, model)
	if err == nil {
		m = m.searched()
		c.manifests.Add(id.GetUuid(), m)
	}
	return m, err
}

// searched is what a search needs of a manifest: no hashes, and the name of a write once
// for all its files.
func (m manifest) searched() manifest {
	writes := map[string]string{}
	for path, e := range m.Documents {
		if _, ok := writes[e.Write]; !ok {
			writes[e.Write] = e.Write
		}
		m.Documents[path] = entry{Write: writes[e.Write], Passages: e.Passages}
	}
	return m
}
