// A talk in a terminal: `forsooth dev` in one window; `mcs -r:System.Net.Http -out:Example.exe Forsooth.cs Example.cs && mono Example.exe` in another.
using System;
using System.Threading;
using ForsoothNpc;

static class Example
{
    static int Main(string[] args)
    {
        var client = new Client(Environment.GetEnvironmentVariable("FORSOOTH_URL") ?? "http://127.0.0.1:8080",
            () => Environment.GetEnvironmentVariable("FORSOOTH_KEY"));
        int? over = null;
        using (var session = client.Open())
        {
            session.Say(
                new Request { World = "hollowmere", Npc = "mira", Player = "ansel", Message = args.Length > 0 ? args[0] : "Will you give me a quest?", Trust = 50 },
                new Handlers
                {
                    Sentence = (turn, sentence) => Console.WriteLine("Mira: " + sentence.Text),
                    Speak = s => Console.WriteLine("(voice of {0}, {1}, sentence {2}: {3} characters)", s.Npc, s.Language, s.Index, s.Text.Length),
                    Act = (turn, action) =>
                    {
                        Console.WriteLine("(the game lets Mira do: {0} {1})", action.Name, Json.Write(action.Parameters));
                        return Answer.Yes;
                    },
                    Done = (turn, reply) => { Console.WriteLine("(" + reply.Status + ")"); over = 0; },
                    Problem = (turn, e) => { Console.Error.WriteLine(e.Code + ": " + e.Message); over = 1; },
                });
            while (over == null) // Unity does this in Update
            {
                client.Pump();
                Thread.Sleep(10);
            }
        }
        return over.Value;
    }
}
