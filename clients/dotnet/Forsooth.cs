// The client of a Forsooth gateway for Unity and .NET: one file, the API of netstandard2.1, C# 7, no package.
// README.md shows its use. Handlers run where Pump is called, such as in Update of a Unity behaviour.

using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Net.WebSockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace ForsoothNpc
{
    /// <summary>What went wrong: code and field for programs, RetryAfter where it is worth while.</summary>
    public sealed class ForsoothException : Exception
    {
        public string Code { get; }
        public string Field { get; }
        public int Status { get; }
        public TimeSpan RetryAfter { get; }

        public ForsoothException(string code, string detail, string field = "", int status = 0, double retryAfterMs = 0) : base(detail)
        {
            Code = code;
            Field = field;
            Status = status;
            RetryAfter = TimeSpan.FromMilliseconds(retryAfterMs);
        }

        internal static ForsoothException Of(IDictionary<string, object> p)
        {
            return new ForsoothException(Json.Text(p, "code", "INTERNAL"), Json.Text(p, "detail", Json.Text(p, "title")),
                Json.Text(p, "field"), (int)Json.Number(p, "status"), Json.Number(p, "retry_after_ms"));
        }

        internal static ForsoothException Unreachable(string detail) { return new ForsoothException("UNREACHABLE", detail, "", 503); }
    }

    /// <summary>What a player says. More holds the other fields of a turn: state, flags, allowed_actions and so on.</summary>
    public sealed class Request
    {
        public string World, Npc, Player, Message;
        public string TurnId = Guid.NewGuid().ToString("N"); // the same id said again is the same turn
        public string Locale;
        public int? Trust, DeadlineMs;
        public IDictionary<string, object> More;

        internal Dictionary<string, object> Wire()
        {
            var all = More == null ? new Dictionary<string, object>() : new Dictionary<string, object>(More);
            foreach (var pair in new Dictionary<string, object> { { "world", World }, { "npc", Npc }, { "player", Player }, { "message", Message },
                { "turn_id", TurnId }, { "locale", Locale }, { "trust", Trust }, { "deadline_ms", DeadlineMs } })
                if (pair.Value != null) all[pair.Key] = pair.Value;
            return all;
        }
    }

    public sealed class Sentence
    {
        public int Seq;
        public string Text;
        public bool Authored;
        public IDictionary<string, object> Raw; // with its evidence
    }

    /// <summary>What an NPC proposes to the game. With Confirm a sentence waits for the answer, 1.5 seconds at most.</summary>
    public sealed class GameAction
    {
        public string TurnId, World, Npc, Player, Name, At;
        public int Index;
        public bool Confirm;
        public IDictionary<string, object> Parameters;

        internal static GameAction Of(string world, IDictionary<string, object> a)
        {
            return new GameAction { TurnId = Json.Text(a, "turn_id"), World = world, Npc = Json.Text(a, "npc"), Player = Json.Text(a, "player"),
                Name = Json.Text(a, "name"), At = Json.Text(a, "at"), Index = (int)Json.Number(a, "index"), Confirm = Json.Flag(a, "confirm"),
                Parameters = Json.Object(a, "parameters") ?? new Dictionary<string, object>() };
        }
    }

    /// <summary>The game's answer to an action; null where somebody else answers.</summary>
    public sealed class Answer
    {
        public bool Accepted;
        public string Reason;
        public static Answer Yes { get { return new Answer { Accepted = true }; } }
        public static Answer No(string reason) { return new Answer { Reason = reason }; }
    }

    public sealed class Reply
    {
        public string Text, Status, Reason;
        public IDictionary<string, object> Raw; // all of it
    }

    /// <summary>What a voice needs for one sentence. Index counts the sentences of the turn from 0.</summary>
    public sealed class Speech
    {
        public string Text, Npc, Player, Language, TurnId;
        public int Index;
    }

    /// <summary>What the game does with a turn. Each may be left out.</summary>
    public sealed class Handlers
    {
        public Action<Turn, Sentence> Sentence;
        public Func<Turn, GameAction, Answer> Act;
        public Action<Turn, Reply> Done;
        public Action<Turn, ForsoothException> Problem; // the turn ended with it
        public Action<Speech> Speak; // each sentence once, in order
    }

    /// <summary>One turn, over HTTP or over a session. Reply is the whole of it.</summary>
    public sealed class Turn
    {
        readonly TaskCompletionSource<Reply> reply = new TaskCompletionSource<Reply>(TaskCreationOptions.RunContinuationsAsynchronously);
        readonly HashSet<int> acted = new HashSet<int>();
        readonly Handlers handlers;
        readonly Client client;
        readonly Func<Turn, Task> cancel;
        readonly Func<GameAction, Answer, Task> answer;
        int spoken;

        public Request Request { get; }
        public string Id { get { return Request.TurnId; } }
        public Task<Reply> Reply { get { return reply.Task; } }
        internal int Seen; // the n of the last event: where to go on after a break
        internal int Tries; // since the connection broke
        internal bool Over { get { return reply.Task.IsCompleted; } }

        internal Turn(Client client, Request request, Handlers handlers, Func<Turn, Task> cancel, Func<GameAction, Answer, Task> answer)
        {
            this.client = client;
            Request = request;
            this.handlers = handlers ?? new Handlers();
            this.cancel = cancel;
            this.answer = answer;
        }

        /// <summary>Ends the turn with what was said so far; the reply has the status "aborted".</summary>
        public Task CancelAsync() { return cancel(this); }

        // Take shows an event once, whichever connection brings it.
        internal void Take(IDictionary<string, object> e)
        {
            var type = Json.Text(e, "type");
            if (Over) return;
            if (type == "done") { Finish(Json.Object(e, "reply")); return; }
            if (type == "action") { Act(GameAction.Of(Request.World, Json.Object(e, "action"))); return; }
            var n = (int)Json.Number(e, "n");
            if (n <= Seen) return;
            Seen = n;
            if (type == "sentence") Say(Json.Object(e, "sentence"));
        }

        void Say(IDictionary<string, object> s)
        {
            var said = new Sentence { Seq = (int)Json.Number(s, "seq"), Text = Json.Text(s, "text"), Authored = Json.Flag(s, "authored"), Raw = s };
            var speech = new Speech { Text = said.Text, Npc = Request.Npc, Player = Request.Player, Language = Request.Locale ?? client.Language,
                Index = spoken++, TurnId = Id };
            client.Post(() =>
            {
                if (handlers.Sentence != null) handlers.Sentence(this, said);
                if (handlers.Speak != null) handlers.Speak(speech);
            });
        }

        void Act(GameAction action)
        {
            if (!acted.Add(action.Index) || handlers.Act == null) return;
            client.Post(() =>
            {
                var given = handlers.Act(this, action);
                if (given != null) client.Watch(answer(action, given));
            });
        }

        void Finish(IDictionary<string, object> r)
        {
            var whole = new Reply { Text = Json.Text(r, "reply"), Status = Json.Text(r, "status"), Reason = Json.Text(r, "reason"), Raw = r };
            reply.TrySetResult(whole);
            client.Post(() => { if (handlers.Done != null) handlers.Done(this, whole); });
        }

        internal void Fail(ForsoothException why)
        {
            if (!reply.TrySetException(why)) return;
            var seen = reply.Task.Exception; // a turn may be followed by its handlers alone
            client.Post(() => { if (handlers.Problem != null) handlers.Problem(this, why); });
        }

        internal bool Worth(ForsoothException why, int tries)
        {
            return tries < client.Retries && (why.Code == "UNREACHABLE" || tries + Seen > 0 && why.RetryAfter > TimeSpan.Zero);
        }
    }

    /// <summary>A gateway. Key gives a backend's key or a player's token for each connection; null: none.</summary>
    public sealed class Client : IDisposable
    {
        readonly HttpClient http = new HttpClient();
        readonly ConcurrentQueue<Action> queue = new ConcurrentQueue<Action>();
        readonly Random random = new Random();
        internal readonly string Url;
        internal readonly Func<string> Key;

        public string Language = "en"; // for Speak, where a turn has no locale
        public int Retries = 5; // attempts without news after which a turn fails
        public TimeSpan Quiet = TimeSpan.FromSeconds(40); // of silence, after which a connection is taken for dead
        public Action<Exception> Fault; // told of what goes wrong beside a turn, such as an answer that came too late

        public Client(string url, Func<string> key = null)
        {
            Url = url.TrimEnd('/');
            Key = key;
            ServicePointManager.FindServicePoint(new Uri(Url)).ConnectionLimit = 1000; // the default is two
        }

        public void Dispose() { http.Dispose(); }

        /// <summary>Runs the handlers of what has happened. Call it each frame.</summary>
        public void Pump()
        {
            Action next;
            while (queue.TryDequeue(out next))
            {
                try { next(); }
                catch (Exception e) { Report(e); }
            }
        }

        internal void Post(Action handler) { queue.Enqueue(handler); }

        internal void Report(Exception e) { if (Fault != null) Post(() => Fault(e)); }

        internal void Watch(Task task)
        {
            task.ContinueWith(t => Report(t.Exception.GetBaseException()), TaskContinuationOptions.OnlyOnFaulted);
        }

        internal static void Ignore(Task task) { task.ContinueWith(t => t.Exception, TaskContinuationOptions.OnlyOnFaulted); }

        internal TimeSpan Backoff(int tries)
        {
            lock (random) return TimeSpan.FromSeconds(Math.Min(5, 0.2 * Math.Pow(2, tries)) * (0.75 + random.NextDouble() / 2));
        }

        /// <summary>Says something to an NPC, over HTTP.</summary>
        public Turn Say(Request request, Handlers handlers = null)
        {
            var turn = new Turn(this, request, handlers, t => CancelAsync(t.Request), AnswerAsync);
            Watch(Task.Run(() => RunAsync(turn)));
            return turn;
        }

        /// <summary>One WebSocket for many players. Dispose it.</summary>
        public Session Open() { return new Session(this); }

        /// <summary>The NPCs of a world: handle, name, greeting and so on.</summary>
        public async Task<IList<object>> NpcsAsync(string world)
        {
            return Json.List(await CallAsync(HttpMethod.Get, "/v1/worlds/" + world + "/npcs", null).ConfigureAwait(false), "npcs");
        }

        /// <summary>A player's token, for a game's client. It takes a backend's key.</summary>
        public async Task<string> TokenAsync(string world, string player)
        {
            var body = new Dictionary<string, object> { { "world", world }, { "player", player } };
            return Json.Text(await CallAsync(HttpMethod.Post, "/v1/tokens", body).ConfigureAwait(false), "token");
        }

        public Task CancelAsync(Request turn) { return CallAsync(HttpMethod.Delete, One(turn.World, turn.Npc, turn.Player, turn.TurnId, ""), null); }

        /// <summary>The game's answer to an action. The first stands.</summary>
        public Task AnswerAsync(GameAction a, Answer given)
        {
            return CallAsync(HttpMethod.Post, One(a.World, a.Npc, a.Player, a.TurnId, "/actions/" + a.Index), Wire(given));
        }

        internal static Dictionary<string, object> Wire(Answer given)
        {
            var body = new Dictionary<string, object> { { "accepted", given.Accepted } };
            if (given.Reason != null) body["reason"] = given.Reason;
            return body;
        }

        static string Turns(string world, string npc)
        {
            return "/v1/worlds/" + Uri.EscapeDataString(world) + "/npcs/" + Uri.EscapeDataString(npc) + "/turns";
        }

        static string One(string world, string npc, string player, string turn, string rest)
        {
            var at = Turns(world, npc) + "/" + Uri.EscapeDataString(turn) + rest;
            return string.IsNullOrEmpty(player) ? at : at + "?player=" + Uri.EscapeDataString(player);
        }

        internal async Task<IDictionary<string, object>> CallAsync(HttpMethod method, string path, object body)
        {
            using (var answer = await SendAsync(method, path, body, null, 0).ConfigureAwait(false))
            {
                var text = await answer.Content.ReadAsStringAsync().ConfigureAwait(false);
                return text == "" ? null : Json.Parse(text) as IDictionary<string, object>;
            }
        }

        async Task<HttpResponseMessage> SendAsync(HttpMethod method, string path, object body, string accept, int seen)
        {
            var ask = new HttpRequestMessage(method, Url + path);
            var key = Key == null ? null : Key();
            if (!string.IsNullOrEmpty(key)) ask.Headers.TryAddWithoutValidation("Authorization", "Bearer " + key);
            if (accept != null) ask.Headers.TryAddWithoutValidation("Accept", accept);
            if (seen > 0) ask.Headers.TryAddWithoutValidation("Last-Event-ID", seen.ToString(CultureInfo.InvariantCulture));
            if (body != null) ask.Content = new StringContent(Json.Write(body), new UTF8Encoding(false), "application/json");
            HttpResponseMessage answer;
            try
            {
                using (var limit = new CancellationTokenSource(Quiet))
                    answer = await http.SendAsync(ask, HttpCompletionOption.ResponseHeadersRead, limit.Token).ConfigureAwait(false);
            }
            catch (Exception e) when (!(e is ForsoothException))
            {
                throw ForsoothException.Unreachable("the gateway at " + Url + " cannot be reached: " + e.GetBaseException().Message);
            }
            if (answer.IsSuccessStatusCode) return answer;
            using (answer)
            {
                var problem = Json.Parse(await answer.Content.ReadAsStringAsync().ConfigureAwait(false)) as IDictionary<string, object>;
                if (problem != null) throw ForsoothException.Of(problem);
                var status = (int)answer.StatusCode; // of a balancer that stands before the gateway
                throw new ForsoothException(status >= 500 ? "UNREACHABLE" : "INTERNAL", "the answer is " + status + " and no problem", "", status);
            }
        }

        async Task RunAsync(Turn turn)
        {
            for (var tries = 0; ; tries++)
            {
                var before = turn.Seen;
                ForsoothException why;
                try
                {
                    await StreamAsync(turn).ConfigureAwait(false);
                    return;
                }
                catch (ForsoothException e) { why = e; }
                catch (Exception e) { why = ForsoothException.Unreachable("the connection broke: " + e.Message); }
                if (turn.Seen > before) tries = 0;
                if (!turn.Worth(why, tries))
                {
                    turn.Fail(why);
                    return;
                }
                var wait = Backoff(tries);
                await Task.Delay(why.RetryAfter > wait ? why.RetryAfter : wait).ConfigureAwait(false);
            }
        }

        // SoonAsync reads a line; null where none comes. A gateway says something every 15 seconds.
        async Task<string> SoonAsync(StreamReader lines)
        {
            var line = lines.ReadLineAsync();
            if (await Task.WhenAny(line, Task.Delay(Quiet)).ConfigureAwait(false) == line) return await line.ConfigureAwait(false);
            Ignore(line); // it fails when the answer is disposed
            return null;
        }

        // StreamAsync shows a turn from where it was lost; one of which nothing was heard is said again.
        async Task StreamAsync(Turn turn)
        {
            var r = turn.Request;
            var begun = turn.Seen > 0;
            using (var answer = await SendAsync(begun ? HttpMethod.Get : HttpMethod.Post,
                begun ? One(r.World, r.Npc, r.Player, r.TurnId, "") : Turns(r.World, r.Npc), begun ? null : r.Wire(), "text/event-stream",
                turn.Seen).ConfigureAwait(false))
            using (var lines = new StreamReader(await answer.Content.ReadAsStreamAsync().ConfigureAwait(false), Encoding.UTF8))
            {
                string name = "", data = "", line;
                while (!turn.Over && (line = await SoonAsync(lines).ConfigureAwait(false)) != null)
                {
                    if (line.StartsWith("event: ", StringComparison.Ordinal)) name = line.Substring(7);
                    else if (line.StartsWith("data: ", StringComparison.Ordinal)) data += line.Substring(6);
                    else if (line == "" && data != "")
                    {
                        var e = (IDictionary<string, object>)Json.Parse(data);
                        if (name == "problem") throw ForsoothException.Of(e);
                        turn.Take(e);
                        name = data = "";
                    }
                }
            }
            if (!turn.Over) throw ForsoothException.Unreachable("the connection ended in the middle of a turn");
        }
    }

    /// <summary>One WebSocket for many players. After a break it connects again, and each turn goes on where it was.</summary>
    public sealed class Session : IDisposable
    {
        sealed class Call
        {
            public IDictionary<string, object> Frame;
            public readonly TaskCompletionSource<bool> Done = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        }

        sealed class Watched
        {
            public string World, Since = "";
            public Func<GameAction, Answer> Act;
            public readonly HashSet<string> Shown = new HashSet<string>();
        }

        readonly Client client;
        readonly ConcurrentDictionary<string, Turn> turns = new ConcurrentDictionary<string, Turn>();
        readonly ConcurrentDictionary<string, Call> calls = new ConcurrentDictionary<string, Call>();
        readonly ConcurrentDictionary<string, Watched> watches = new ConcurrentDictionary<string, Watched>();
        readonly SemaphoreSlim sending = new SemaphoreSlim(1), wanted = new SemaphoreSlim(0);
        readonly CancellationTokenSource living = new CancellationTokenSource();
        volatile ClientWebSocket open;
        ForsoothException refused; // what the gateway said before it closed
        int refs, failures;

        internal Session(Client client)
        {
            this.client = client;
            client.Watch(Task.Run(RunAsync));
        }

        /// <summary>Ends the connection. Turns go on in the mesh, and are shown here no more.</summary>
        public void Dispose()
        {
            living.Cancel();
            FailAll(ForsoothException.Unreachable("the session was closed"));
        }

        /// <summary>Says something to an NPC.</summary>
        public Turn Say(Request request, Handlers handlers = null)
        {
            var turn = new Turn(client, request, handlers, t => CancelAsync(t.Request), AnswerAsync);
            var name = Ref("t");
            turns[name] = turn;
            Want(SayOrResumeAsync(name, TimeSpan.Zero));
            return turn;
        }

        public Task CancelAsync(Request t)
        {
            return CallAsync(new Dictionary<string, object> { { "type", "cancel" }, { "world", t.World }, { "npc", t.Npc }, { "player", t.Player ?? "" },
                { "turn_id", t.TurnId } });
        }

        public Task AnswerAsync(GameAction a, Answer given)
        {
            return CallAsync(new Dictionary<string, object> { { "type", "result" }, { "world", a.World }, { "npc", a.Npc }, { "player", a.Player },
                { "turn_id", a.TurnId }, { "index", a.Index }, { "result", Client.Wire(given) } });
        }

        public Task PingAsync() { return CallAsync(new Dictionary<string, object> { { "type", "ping" } }); }

        /// <summary>Shows every action that the NPCs of a world propose, to any player.</summary>
        public void Actions(string world, Func<GameAction, Answer> act)
        {
            var name = Ref("a");
            watches[name] = new Watched { World = world, Act = act };
            Want(WatchAsync(name));
        }

        string Ref(string kind) { return kind + Interlocked.Increment(ref refs); }

        void Want(Task sent)
        {
            wanted.Release();
            client.Watch(sent);
        }

        Task CallAsync(IDictionary<string, object> frame)
        {
            var name = Ref("c");
            frame["ref"] = name;
            var call = calls[name] = new Call { Frame = frame };
            Want(SendAsync(frame));
            return call.Done.Task;
        }

        async Task SendAsync(IDictionary<string, object> frame)
        {
            var socket = open;
            if (socket == null) return; // it is sent when there is a connection
            var data = new ArraySegment<byte>(Encoding.UTF8.GetBytes(Json.Write(frame)));
            await sending.WaitAsync().ConfigureAwait(false);
            try { await socket.SendAsync(data, WebSocketMessageType.Text, true, living.Token).ConfigureAwait(false); }
            catch (Exception) { } // the reader sees the break, and what was not answered is sent again
            finally { sending.Release(); }
        }

        async Task SayOrResumeAsync(string name, TimeSpan after)
        {
            if (after > TimeSpan.Zero) await Task.Delay(after).ConfigureAwait(false);
            Turn turn;
            if (!turns.TryGetValue(name, out turn)) return;
            var r = turn.Request;
            await SendAsync(turn.Seen == 0
                ? new Dictionary<string, object> { { "type", "say" }, { "ref", name }, { "say", r.Wire() } }
                : new Dictionary<string, object> { { "type", "resume" }, { "ref", name }, { "world", r.World }, { "npc", r.Npc },
                    { "player", r.Player ?? "" }, { "turn_id", r.TurnId }, { "after", turn.Seen } }).ConfigureAwait(false);
        }

        Task WatchAsync(string name)
        {
            var frame = new Dictionary<string, object> { { "type", "actions" }, { "ref", name }, { "world", watches[name].World } };
            if (watches[name].Since != "") frame["since"] = watches[name].Since;
            return SendAsync(frame);
        }

        async Task RunAsync()
        {
            while (!living.IsCancellationRequested)
            {
                if (turns.IsEmpty && calls.IsEmpty && watches.IsEmpty)
                {
                    try { await wanted.WaitAsync(living.Token).ConfigureAwait(false); }
                    catch (OperationCanceledException) { return; }
                    continue;
                }
                using (var socket = new ClientWebSocket())
                {
                    refused = null;
                    var opened = false;
                    try
                    {
                        await ConnectAsync(socket).ConfigureAwait(false);
                        open = socket;
                        opened = true;
                        await BeginAsync().ConfigureAwait(false);
                        await ReadAsync(socket).ConfigureAwait(false);
                    }
                    catch (Exception) { } // whatever it was, the connection is no more
                    open = null;
                    if (living.IsCancellationRequested) return;
                    await LostAsync(opened).ConfigureAwait(false);
                }
            }
        }

        Task ConnectAsync(ClientWebSocket socket)
        {
            var key = client.Key == null ? null : client.Key();
            if (!string.IsNullOrEmpty(key)) socket.Options.SetRequestHeader("Authorization", "Bearer " + key);
            return socket.ConnectAsync(new Uri("ws" + client.Url.Substring(4) + "/v1/ws"), living.Token);
        }

        async Task BeginAsync()
        {
            foreach (var name in turns.Keys.ToList()) await SayOrResumeAsync(name, TimeSpan.Zero).ConfigureAwait(false);
            foreach (var call in calls.Values.ToList()) await SendAsync(call.Frame).ConfigureAwait(false);
            foreach (var name in watches.Keys.ToList()) await WatchAsync(name).ConfigureAwait(false);
        }

        async Task ReadAsync(ClientWebSocket socket)
        {
            var buffer = new ArraySegment<byte>(new byte[64 << 10]);
            for (var whole = new MemoryStream(); ; )
            {
                var receive = socket.ReceiveAsync(buffer, living.Token);
                if (!await SoonAsync(receive).ConfigureAwait(false))
                {
                    socket.Abort();
                    return;
                }
                var part = await receive.ConfigureAwait(false);
                if (part.MessageType == WebSocketMessageType.Close) return;
                whole.Write(buffer.Array, 0, part.Count);
                if (!part.EndOfMessage) continue;
                failures = 0;
                Take((IDictionary<string, object>)Json.Parse(Encoding.UTF8.GetString(whole.ToArray())));
                whole.SetLength(0);
            }
        }

        // SoonAsync asks a silent connection whether it lives; false where it does not answer.
        async Task<bool> SoonAsync(Task receive)
        {
            var half = TimeSpan.FromTicks(client.Quiet.Ticks / 2);
            if (await Task.WhenAny(receive, Task.Delay(half)).ConfigureAwait(false) == receive) return true;
            await SendAsync(new Dictionary<string, object> { { "type", "ping" } }).ConfigureAwait(false);
            if (await Task.WhenAny(receive, Task.Delay(half)).ConfigureAwait(false) == receive) return true;
            Client.Ignore(receive); // it fails when the socket is aborted
            return false;
        }

        // LostAsync waits longer for each connection that fails; after some of them the turns fail.
        async Task LostAsync(bool opened)
        {
            foreach (var turn in turns.Values) turn.Tries++;
            var why = refused;
            if (why == null && !opened)
            {
                try { await client.CallAsync(HttpMethod.Get, "/v1/worlds", null).ConfigureAwait(false); }
                catch (ForsoothException e) when (e.Status == 401 || e.Status == 403) { why = e; } // a socket does not tell
                catch (Exception) { }
            }
            if (why == null && failures >= client.Retries)
                why = ForsoothException.Unreachable("the gateway at " + client.Url + " cannot be reached");
            if (why != null)
            {
                failures = 0;
                FailAll(why);
                if (why.Code != "UNREACHABLE") watches.Clear();
            }
            await Task.Delay(client.Backoff(failures++)).ConfigureAwait(false);
        }

        void FailAll(ForsoothException why)
        {
            Turn turn;
            Call call;
            foreach (var name in turns.Keys.ToList()) if (turns.TryRemove(name, out turn)) turn.Fail(why);
            foreach (var name in calls.Keys.ToList()) if (calls.TryRemove(name, out call)) call.Done.TrySetException(why);
        }

        void Take(IDictionary<string, object> e)
        {
            var name = Json.Text(e, "ref");
            var problem = Json.Text(e, "type") == "problem" ? ForsoothException.Of(Json.Object(e, "problem")) : null;
            Turn turn;
            Call call;
            Watched watched;
            if (turns.TryGetValue(name, out turn)) OfTurn(name, turn, e, problem);
            else if (watches.TryGetValue(name, out watched)) OfWatch(watched, e, problem);
            else if (calls.TryRemove(name, out call))
            {
                if (problem != null) call.Done.TrySetException(problem);
                else call.Done.TrySetResult(true);
            }
            else if (problem != null) refused = problem;
        }

        void OfTurn(string name, Turn turn, IDictionary<string, object> e, ForsoothException problem)
        {
            if (problem == null) turn.Take(e);
            else if (turn.Tries > 0 && turn.Tries <= client.Retries && problem.RetryAfter > TimeSpan.Zero)
            {
                turn.Tries++;
                client.Watch(SayOrResumeAsync(name, problem.RetryAfter));
            }
            else turn.Fail(problem);
            if (turn.Over) turns.TryRemove(name, out turn);
        }

        void OfWatch(Watched watched, IDictionary<string, object> e, ForsoothException problem)
        {
            if (problem != null) client.Report(problem);
            if (watched.Since == "") watched.Since = Json.Text(e, "at"); // of the ok
            if (Json.Text(e, "type") != "action") return;
            var action = GameAction.Of(watched.World, Json.Object(e, "action"));
            if (!watched.Shown.Add(action.TurnId + " " + action.Index)) return;
            if (string.CompareOrdinal(action.At, watched.Since) > 0) watched.Since = action.At;
            client.Post(() =>
            {
                var given = watched.Act(action);
                if (given != null) client.Watch(AnswerAsync(action, given));
            });
        }
    }

    /// <summary>JSON as dictionaries, lists, strings, doubles and bools: netstandard2.1 has no reader of its own.</summary>
    public static class Json
    {
        public static string Text(IDictionary<string, object> o, string name, string otherwise = "")
        {
            object v;
            return o != null && o.TryGetValue(name, out v) && v is string ? (string)v : otherwise;
        }

        public static double Number(IDictionary<string, object> o, string name)
        {
            object v;
            return o != null && o.TryGetValue(name, out v) && v is double ? (double)v : 0;
        }

        public static bool Flag(IDictionary<string, object> o, string name)
        {
            object v;
            return o != null && o.TryGetValue(name, out v) && v is bool && (bool)v;
        }

        public static IDictionary<string, object> Object(IDictionary<string, object> o, string name)
        {
            object v;
            return o != null && o.TryGetValue(name, out v) ? v as IDictionary<string, object> : null;
        }

        public static IList<object> List(IDictionary<string, object> o, string name)
        {
            object v;
            return o != null && o.TryGetValue(name, out v) ? v as IList<object> : null;
        }

        /// <summary>The value of a text; null where it is no JSON.</summary>
        public static object Parse(string text)
        {
            try
            {
                var at = 0;
                return Value(text, ref at);
            }
            catch (Exception e) when (e is FormatException || e is IndexOutOfRangeException || e is ArgumentOutOfRangeException) { return null; }
        }

        static char Next(string s, ref int at)
        {
            while (char.IsWhiteSpace(s[at])) at++;
            return s[at];
        }

        static object Value(string s, ref int at)
        {
            switch (Next(s, ref at))
            {
                case '{':
                    var o = new Dictionary<string, object>();
                    for (at++; Next(s, ref at) != '}'; )
                    {
                        if (s[at] == ',') { at++; continue; }
                        var name = (string)Value(s, ref at);
                        if (Next(s, ref at) != ':') throw new FormatException();
                        at++;
                        o[name] = Value(s, ref at);
                    }
                    at++;
                    return o;
                case '[':
                    var list = new List<object>();
                    for (at++; Next(s, ref at) != ']'; )
                    {
                        if (s[at] == ',') { at++; continue; }
                        list.Add(Value(s, ref at));
                    }
                    at++;
                    return list;
                case '"': return String(s, ref at);
            }
            var from = at;
            while (at < s.Length && ",]} \t\r\n".IndexOf(s[at]) < 0) at++;
            var word = s.Substring(from, at - from);
            if (word == "true" || word == "false") return word == "true";
            return word == "null" ? null : (object)double.Parse(word, NumberStyles.Float, CultureInfo.InvariantCulture);
        }

        static string String(string s, ref int at)
        {
            var text = new StringBuilder();
            for (at++; s[at] != '"'; at++)
            {
                if (s[at] != '\\') { text.Append(s[at]); continue; }
                var escape = "\"\"\\\\//b\bf\fn\nr\rt\t";
                if (s[++at] == 'u')
                {
                    text.Append((char)int.Parse(s.Substring(at + 1, 4), NumberStyles.HexNumber, CultureInfo.InvariantCulture));
                    at += 4;
                    continue;
                }
                for (var i = 0; i < escape.Length; i += 2) if (escape[i] == s[at]) { text.Append(escape[i + 1]); break; }
            }
            at++;
            return text.ToString();
        }

        public static string Write(object value)
        {
            var text = new StringBuilder();
            Write(text, value);
            return text.ToString();
        }

        static void Write(StringBuilder text, object value)
        {
            if (value == null) text.Append("null");
            else if (value is bool) text.Append((bool)value ? "true" : "false");
            else if (value is string) Quote(text, (string)value);
            else if (value is IDictionary<string, object>)
            {
                var sep = '{';
                foreach (var pair in (IDictionary<string, object>)value)
                {
                    text.Append(sep);
                    Quote(text, pair.Key);
                    text.Append(':');
                    Write(text, pair.Value);
                    sep = ',';
                }
                text.Append(sep == '{' ? "{}" : "}");
            }
            else if (value is System.Collections.IEnumerable)
            {
                var sep = '[';
                foreach (var one in (System.Collections.IEnumerable)value)
                {
                    text.Append(sep);
                    Write(text, one);
                    sep = ',';
                }
                text.Append(sep == '[' ? "[]" : "]");
            }
            else if (value is double) text.Append(((double)value).ToString("R", CultureInfo.InvariantCulture));
            else text.Append(Convert.ToString(value, CultureInfo.InvariantCulture));
        }

        static void Quote(StringBuilder text, string s)
        {
            text.Append('"');
            foreach (var c in s)
            {
                if (c == '"' || c == '\\') text.Append('\\').Append(c);
                else if (c < ' ' || char.IsSurrogate(c)) text.Append("\\u").Append(((int)c).ToString("x4"));
                else text.Append(c);
            }
            text.Append('"');
        }
    }
}
