/** Types of forsooth.mjs. Fields of the wire have the names that docs/schema gives them. */

export interface Request {
  world: string;
  /** In a scene it may be left out: the NPC that the message names answers, else they take turns. */
  npc?: string;
  /** In this scene; as many others as rounds says may speak behind the one that answers. */
  scene?: { id: string; rounds?: number };
  player?: string;
  message: string;
  turn_id?: string;
  player_name?: string;
  /** Of the spoken language, such as "en" or "de-AT". */
  locale?: string;
  deadline_ms?: number;
  /** An earlier turn that this one replaces. */
  supersedes?: string;
  // What follows is for a game's backend: a player's token may not say it.
  game_time?: string;
  state?: Record<string, unknown>;
  flags?: string[];
  /** From -100 to 100. */
  trust?: number;
  witnesses?: string[];
  allowed_actions?: ActionSpec[];
}

export interface ActionSpec {
  name: string;
  parameters?: object;
  requires?: string;
  confirm?: boolean;
  speech_acts?: string[];
}

export interface Evidence {
  id: string;
  path: string;
  text: string;
  source: string;
}

export interface Sentence {
  seq: number;
  text: string;
  authored?: boolean;
  evidence: Evidence[];
  /** In a scene: who says it. */
  npc?: string;
}

/** NPCs by handle and players by id. */
export interface Presence {
  npcs?: string[];
  players?: string[];
}

export interface Scene {
  id: string;
  npcs: string[];
  players: string[];
}

export interface Action {
  turn_id: string;
  index: number;
  npc: string;
  player: string;
  /** Where it was proposed in a scene. */
  scene?: string;
  name: string;
  parameters?: Record<string, unknown>;
  /** A sentence waits for the game's answer, 1.5 seconds at most. */
  confirm: boolean;
  at?: string;
}

export interface Reply {
  turn_id: string;
  world: string;
  npc: string;
  npc_name?: string;
  player: string;
  reply: string;
  status: "answered" | "extractive" | "unknown" | "withheld" | "partial" | "authored" | "aborted";
  reason?: string;
  retry_after_ms?: number;
  sentences: Sentence[];
  actions: Action[];
  again?: boolean;
  /** Who heard it, in a scene. */
  scene?: Scene;
}

export type Event =
  | { type: "accepted" | "thinking"; n: number; turn_id: string; npc?: string }
  | { type: "sentence"; n: number; turn_id: string; sentence: Sentence; npc?: string }
  | { type: "action"; turn_id: string; action: Action }
  | { type: "done"; n: number; turn_id: string; reply: Reply; npc?: string; next?: string };

/** What a voice needs for one sentence. Index counts the sentences of the turn from 0. */
export interface Speech {
  text: string;
  npc: string;
  player?: string;
  language: string;
  index: number;
  turn: string;
}

export type Answer = boolean | { accepted: boolean; reason?: string } | undefined | null | void;
export type Act = (action: Action, turn: Turn) => Answer | Promise<Answer>;

export interface Handlers {
  /** Answers an action: true or false, an object with a reason, or nothing where somebody else answers it. */
  act?: Act;
  /** Is given each sentence once, in order. */
  speak?: (speech: Speech) => void;
  /** Is told of what went wrong beside a turn, such as an answer that came too late. Default: console.error. */
  problem?: (error: unknown) => void;
  /** For speak, where the turn has no locale. Default: "en". */
  language?: string;
  /** Attempts without news after which a turn fails. Default: 5, some six seconds. */
  retries?: number;
  /** Seconds of silence after which a connection is taken for dead. Default: 40. */
  quiet?: number;
}

export interface SayOptions extends Handlers {
  /** Aborted: the turn is cancelled. */
  signal?: AbortSignal;
}

export interface ClientOptions extends Handlers {
  /** A backend's key or a player's token, or a function that gives one for each connection. */
  key?: string | (() => string | Promise<string>);
}

export interface SessionOptions extends Handlers {
  /** Another implementation, such as that of the package ws. */
  WebSocket?: unknown;
}

export interface TurnName {
  world: string;
  npc?: string;
  player?: string;
  scene?: { id: string };
  turn_id: string;
}

export declare class ForsoothError extends Error {
  readonly code: string;
  readonly field?: string;
  readonly status?: number;
  /** Seconds. */
  readonly retryAfter?: number;
}

export interface Turn extends AsyncIterable<Sentence> {
  readonly id: string;
  readonly seen: number;
  readonly over: boolean;
  events(): AsyncGenerator<Event, void>;
  sentences(): AsyncGenerator<Sentence, void>;
  reply(): Promise<Reply>;
  replies(): AsyncGenerator<Reply, void>;
  cancel(): Promise<void>;
}

export interface NPC {
  handle: string;
  name: string;
  greeting?: string;
  region?: string;
  actions?: ActionSpec[];
}

export interface World {
  name: string;
  title?: string;
  language?: string;
  version: string;
  default_npc?: string;
  npcs: NPC[];
}

export declare class Forsooth {
  constructor(base: string, options?: ClientOptions);
  say(request: Request, options?: SayOptions): Turn;
  cancel(turn: TurnName): Promise<void>;
  answer(action: Action, result: { accepted: boolean; reason?: string }, turn: { world: string }): Promise<void>;
  worlds(): Promise<World[]>;
  npcs(world: string): Promise<NPC[]>;
  token(request: { world: string; player: string; npc?: string; ttl_s?: number }): Promise<{ token: string; expires: string }>;
  witness(world: string, event: Record<string, unknown>): Promise<{ event_id: string }>;
  enter(world: string, scene: string, who: Presence): Promise<Scene>;
  leave(world: string, scene: string, who: Presence): Promise<Scene>;
  scene(world: string, id: string): Promise<Scene>;
  session(options?: SessionOptions): Session;
}

export declare class Session {
  constructor(client: Forsooth, options: SessionOptions);
  say(request: Request, options?: SayOptions): Turn;
  cancel(turn: TurnName): Promise<void>;
  answer(action: Action, result: { accepted: boolean; reason?: string }, turn: { world: string }): Promise<void>;
  ping(): Promise<void>;
  /** Shows the actions of every NPC of a world; what it returns ends that. */
  actions(world: string, act: (action: Action) => Answer | Promise<Answer>): () => void;
  close(): void;
}

export declare function newTurnId(): string;
