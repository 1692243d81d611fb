package schema

// WorldInfo is a world that is served, as svc.world.<world> shows it.
type WorldInfo struct {
	Name       string    `json:"name"`
	Title      string    `json:"title,omitempty"`
	Language   string    `json:"language,omitempty"`
	Version    string    `json:"version"` // the lore_version of a turn that begins now
	DefaultNPC string    `json:"default_npc,omitempty"`
	NPCs       []NPCInfo `json:"npcs"`
}

// NPCInfo is an NPC of a world.
type NPCInfo struct {
	Handle   string       `json:"handle"` // the <npc> of subjects
	Name     string       `json:"name"`
	Greeting string       `json:"greeting,omitempty"`
	Region   string       `json:"region,omitempty"`
	Actions  []ActionSpec `json:"actions,omitempty"` // that it may propose where a request names none
}

// NPC is the NPC of a handle; nil where the world has none.
func (w *WorldInfo) NPC(handle string) *NPCInfo {
	for i := range w.NPCs {
		if w.NPCs[i].Handle == handle {
			return &w.NPCs[i]
		}
	}
	return nil
}

// KnowledgeQuery asks svc.knowledge.<world> for what an NPC may know about a question. It
// is the search of a turn by itself: nobody says anything, and nothing is remembered.
type KnowledgeQuery struct {
	NPC      string   `json:"npc"`
	Question string   `json:"question"`
	Trust    int      `json:"trust,omitempty"` // of the NPC in whoever asks: it opens what is told to some alone
	Flags    []string `json:"flags,omitempty"` // of the game
}

// KnowledgeFound is the answer of svc.knowledge.<world>.
type KnowledgeFound struct {
	NPC        string      `json:"npc"`
	Question   string      `json:"question"`                // as it was searched for
	Confidence float64     `json:"confidence"`              // that the passages answer it
	Zone       string      `json:"zone"`                    // unknown, near, extractive, model or none
	Withheld   string      `json:"withheld,omitempty"`      // why what would answer is not told: a reason of a reply
	Unknown    []string    `json:"unknown_names,omitempty"` // names of the question that nothing here has
	Passages   []Knowledge `json:"passages"`
}

// Knowledge is a passage that an NPC may cite.
type Knowledge struct {
	Path  string  `json:"path"`
	Page  int     `json:"page,omitempty"` // from 1, of a document of several pages
	Text  string  `json:"text"`
	Score float64 `json:"score"`
}
