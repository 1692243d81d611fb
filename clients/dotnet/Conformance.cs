// Plays the transcript of examples/conformance: `mono Conformance.exe http` or `… socket`.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using ForsoothNpc;

static class Conformance
{
    static readonly Func<string, string> Env = name => Environment.GetEnvironmentVariable("FORSOOTH_" + name);
    static string world;

    static string Mine(IDictionary<string, object> turn, string field)
    {
        var name = Json.Text(turn, field);
        return name == "" ? null : name + "-" + Env("WHO");
    }

    static Request Of(IDictionary<string, object> turn)
    {
        var request = new Request { World = world, Npc = Json.Text(turn, "npc"), Player = Mine(turn, "player"), Message = Json.Text(turn, "message"),
            Locale = Json.Text(turn, "locale", null), TurnId = Mine(turn, "turn_id") ?? Guid.NewGuid().ToString("N") };
        if (turn.ContainsKey("trust")) request.Trust = (int)Json.Number(turn, "trust");
        if (turn.ContainsKey("deadline_ms")) request.DeadlineMs = (int)Json.Number(turn, "deadline_ms");
        return request;
    }

    sealed class Door
    {
        public Client Client;
        public Session Session;

        public Turn Say(Request r, Handlers h) { return Session != null ? Session.Say(r, h) : Client.Say(r, h); }
        public Task Cancel(Request r) { return Session != null ? Session.CancelAsync(r) : Client.CancelAsync(r); }
        public Task Ping() { return Session != null ? Session.PingAsync() : Client.NpcsAsync(world); }
    }

    static Door Open(string key, bool socket)
    {
        var client = new Client(Env("URL"), () => key) { Quiet = TimeSpan.FromSeconds(2) };
        client.Fault = e => Console.Error.WriteLine(e.Message);
        return new Door { Client = client, Session = socket ? client.Open() : null };
    }

    // by player: the step, and the actions that a watch over the world has heard
    static readonly Dictionary<string, KeyValuePair<IDictionary<string, object>, List<object>>> Watched =
        new Dictionary<string, KeyValuePair<IDictionary<string, object>, List<object>>>();

    static Answer Heard(IDictionary<string, object> step, List<object> actions, GameAction a)
    {
        actions.Add(new Dictionary<string, object> { { "name", a.Name }, { "parameters", a.Parameters }, { "confirm", a.Confirm } });
        var answer = Json.Object(step, "answer");
        return answer == null ? null : new Answer { Accepted = Json.Flag(answer, "accepted"), Reason = Json.Text(answer, "reason", null) };
    }

    static Answer OfWatch(GameAction a)
    {
        KeyValuePair<IDictionary<string, object>, List<object>> on;
        return Watched.TryGetValue(a.Player, out on) ? Heard(on.Key, on.Value, a) : null;
    }

    static Task Play(IDictionary<string, object> step, IDictionary<string, object> turn, Door by, IDictionary<string, object> heard)
    {
        switch (Json.Text(step, "do"))
        {
            case "ping": return by.Ping();
            case "cancel": return by.Cancel(Of(turn));
        }
        var sentences = (List<object>)heard["sentences"];
        var spoken = (List<object>)heard["spoken"];
        var actions = (List<object>)heard["actions"];
        var watched = Json.Flag(step, "watch") && by.Session != null;
        if (watched) Watched[Mine(turn, "player")] = new KeyValuePair<IDictionary<string, object>, List<object>>(step, actions);
        var over = new TaskCompletionSource<bool>();
        by.Say(Of(turn), new Handlers
        {
            Sentence = (t, s) => sentences.Add(s.Text),
            Speak = s => spoken.Add(new Dictionary<string, object> { { "text", s.Text }, { "npc", s.Npc }, { "language", s.Language }, { "index", s.Index } }),
            Act = (t, a) =>
            {
                if (watched) return null;
                if (Json.Text(step, "cancel") == "action") t.CancelAsync();
                return Heard(step, actions, a);
            },
            Done = (t, r) =>
            {
                heard["status"] = r.Status;
                heard["reason"] = r.Reason;
                heard["reply"] = r.Text;
                over.SetResult(true);
            },
            Problem = (t, e) => over.SetException(e),
        });
        return over.Task;
    }

    static int Main(string[] args)
    {
        var script = (IDictionary<string, object>)Json.Parse(File.ReadAllText(Env("TRANSCRIPT")));
        world = Json.Text(script, "world");
        var backend = Open(Env("KEY"), args[0] == "socket");
        var player = Open(Env("TOKEN"), args[0] == "socket");
        if (backend.Session != null) backend.Session.Actions(world, OfWatch);
        foreach (IDictionary<string, object> step in Json.List(script, "steps"))
        {
            var by = Json.Text(step, "as") == "token" ? player : backend;
            var heard = new List<Dictionary<string, object>>();
            var tasks = new List<Task>();
            foreach (IDictionary<string, object> turn in Json.List(step, "turns"))
            {
                var one = new Dictionary<string, object> { { "step", Json.Text(step, "name") }, { "turn", heard.Count },
                    { "sentences", new List<object>() }, { "spoken", new List<object>() }, { "actions", new List<object>() } };
                heard.Add(one);
                tasks.Add(Play(step, turn, by, one));
            }
            while (!tasks.All(t => t.IsCompleted)) // as a game's loop does
            {
                by.Client.Pump();
                Thread.Sleep(1);
            }
            for (var i = 0; i < tasks.Count; i++)
            {
                var why = tasks[i].IsFaulted ? tasks[i].Exception.GetBaseException() as ForsoothException : null;
                if (tasks[i].IsFaulted && why == null) throw tasks[i].Exception;
                if (why != null) heard[i]["problem"] = new Dictionary<string, object> { { "code", why.Code }, { "field", why.Field } };
                Console.WriteLine(Json.Write(heard[i]));
            }
        }
        foreach (var door in new[] { backend, player }) if (door.Session != null) door.Session.Dispose();
        return 0;
    }
}
