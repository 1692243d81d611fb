package language

import (
	"math"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// functionWords are short lists of the words without which a language makes few
// sentences, accents left out too where players leave them out. English has the
// longest: it must win wherever players of English write, in any register, so the
// verbs and the chat-speak of questions stand in it, and the words that it shares
// with others (die, was, war, yo, me). Italian, Portuguese and Dutch are here so
// that they are not taken for their neighbours.
var functionWords = map[string]string{
	"en": text.GrammarWords + ` thing things stuff whats whos wheres hows another even still ever never always dont doesnt
		didnt isnt wont cant aint ive youre thats lets gimme lemme kinda dunno idk lol lmao wtf omg pls plz thx ty sup
		yo hi hello hail hiya bro dude mate m8 ok okay yeah yep nope nah yes wat wut wot tho cuz coz abt n c'mon d'you
		d'ya o'clock go going gone went come came knows knew known told say said says see saw seen want need help find
		found give gave take took make made think thought hear heard let thanks thank buy sell talk ask one two first
		last many much die man men hat war fast arm son sin pan dice red ten van plus pour des car sans tag bad fur
		gift rat hell rum alter angel old new good great big little long way day night time people house place name now
		today back right left where'd thou thee thy thine ye hath doth art hast 'tis tis aye nay nae wee lass lad ere
		upon unto shan't`,
	"de": `der die das den dem des ein eine einen einem einer eines kein keine keinen keiner
		ich du er sie es wir ihr mich dich sich mir dir ihm ihn uns euch ihnen mein meine meinen meiner dein deine deinen ` +
		`deiner sein seine seinen seiner ihre ihren ihrer unser unsere euer eure
		wer wen wem wessen was wo wohin woher wann warum wieso weshalb wie welche welcher welches welchen
		bin bist ist sind seid war warst waren habe hab hast hat haben habt hatte hatten werde wirst wird werden wurde ` +
		`wurden worden
		kann kannst koennen können konnte muss musst müssen muessen soll sollst sollte will willst wollen wollte darf ` +
		`darfst möchte moechte mag magst
		und oder aber denn weil dass daß wenn ob als auch noch nur schon nicht nichts nie immer sehr mehr viel viele ` +
		`alle alles etwas jemand niemand man
		in im am an auf aus bei mit nach seit von vom zu zum zur für fuer über ueber unter um durch gegen ohne vor ` +
		`hinter neben zwischen
		hier dort da dann jetzt heute gestern morgen ja nein doch mal so wieder weiß weiss weißt weisst wissen kennst ` +
		`kennt kenne gibt gib gab sag sagt sagte sage sagen erzähl erzaehl erzähle geht gehe
		bitte danke hallo guten gute guter gutes tag abend mein diese dieser dieses diesem diesen jeder jede jedes man's ` +
		`ihr's`,
	"fr": `le la les un une des du de au aux ce cet cette ces
		je tu il elle on nous vous ils elles me te se lui leur moi toi eux mon ma mes ton ta tes son sa ses notre nos ` +
		`votre vos leurs
		qui que quoi quel quelle quels quelles où ou quand comment pourquoi combien dont
		suis es est sommes êtes etes sont était etait étaient ai as a avons avez ont avait avaient été ete sera ` +
		`serait fait faire faut
		peux peut pouvez pouvons veux veut voulez dois doit devez sais sait savez connais connaît connait connaissez vas ` +
		`va allez vont dis dit dites parle parlez parler
		et mais donc car ni si parce comme dans en sur sous avec sans pour par vers chez entre depuis pendant avant ` +
		`après apres contre à
		ne pas plus jamais rien personne aussi très bien encore toujours déjà deja tout toute tous toutes quelque ` +
		`quelqu'un autre même meme beaucoup peu
		ici là voici voilà oui non merci bonjour bonsoir salut aujourd'hui hier demain cela ça ceci c'est n'est qu'est ` +
		`s'il l' d' j' qu' n' c' s' m' t' y`,
	"es": `el la los las un una unos unas lo al del de
		yo tú tu él ella usted nosotros vosotros ellos ellas ustedes me te se nos os le les mi mí mis su sus mío mia ` +
		`tuyo suyo nuestro nuestra
		qué que quién quien quiénes cuál cual dónde donde cuándo cuando cómo como cuánto cuanto cuántos cuanta ` +
		`porqué
		soy eres es somos son era eran fue fueron ser estoy estás estas está esta están estan estaba estaban estar he ` +
		`has ha hemos han había habia hay haber hace hizo tiene tienes tengo tienen tenía
		puedo puedes puede quiero quieres quiere debo debes debe sabes sabe sé conoces conoce voy vas va vamos van dime ` +
		`dice dijo di
		y e o u pero porque si sino ni aunque mientras en a con sin por para sobre entre hasta desde hacia contra según tras
		no sí ya muy más mas menos también tambien tampoco nunca siempre nada nadie algo alguien todo toda todos todas ` +
		`otro otra mismo misma mucho mucha muchos poco aquí aqui allí alli ahí ahora hoy ayer mañana
		este esta esto estos estas ese esa eso esos aquel aquella gracias hola buenos buenas adiós adios señor bien`,
	"it": `il lo la i gli le un uno una di del dello della dei degli delle a al alla ai alle da dal dalla in nel nella ` +
		`nei con su sul sulla per tra fra
		io tu lui lei noi voi loro mi ti ci vi si mio mia tuo tua suo sua nostro vostro
		chi che cosa cos' quale quando dove dov' come perché perche quanto
		sono sei è siamo siete era erano ho hai ha abbiamo avete hanno aveva stato fatto fa può posso puoi vuoi voglio ` +
		`devo deve so sai conosci dimmi
		e ed o ma se non più piu mai niente nessuno tutto tutti anche ancora molto sempre qui lì questo questa questi ` +
		`quello quella ora oggi ieri grazie ciao buongiorno l' d' c' un' dell' all' nell' dall'`,
	"pt": `o os as um uma uns umas de do da dos das no na nos nas em ao à aos pelo pela por para com sem sobre entre até
		eu tu ele ela nós vós eles elas você voce vocês me te se lhe meu minha teu tua seu sua nosso
		que quem qual quando onde como porque porquê quanto quê
		sou és é somos são sao era eram foi foram ser estou está esta estão estava tem tens tenho têm tinha há fez ` +
		`faz posso pode quero quer sabe sabes sei conhece conhece
		e ou mas se não nao mais nunca nada ninguém alguém tudo todos também tambem muito sempre já aqui ali isto ` +
		`isso este essa esse agora hoje ontem obrigado obrigada olá`,
	"nl": `de het een die dat deze dit ik jij je hij zij ze wij we jullie u mij me jou hem haar ons hen mijn jouw zijn ` +
		`uw hun onze
		wie wat waar wanneer waarom hoe welke ben bent is was waren heb hebt heeft hebben had hadden word wordt worden ` +
		`werd kan kunnen kun moet moeten mag wil willen zal zou
		en of maar want omdat als dan ook nog niet niets geen nooit altijd zeer meer veel alle alles iets iemand niemand
		in op aan bij met naar van voor uit over onder om door tegen zonder te tot hier daar nu vandaag gisteren ja nee ` +
		`weet ken kent geef zeg vertel dank hallo goedendag er`,
}

// contentWords are some of the most common nouns and verbs of the languages that
// lack English's long list, of the kind that messages to an NPC hold. Words that
// are English too are left out.
var contentWords = map[string]string{
	"de": `stadt dorf haus weg straße strasse brücke bruecke turm tor mann frau kind vater mutter bruder schwester ` +
		`sohn tochter freund freunde
		schmied wirt könig koenig krieg schwert brot geld gold wasser nacht morgen jahr jahre leben tod herr fremder ` +
		`schlüssel
		komm kommt kommen finde finden suche suchen brauche brauchen kaufen verkauft verkaufen helfen hilf hilfe gehört ` +
		`gehoert gesehen gemacht gekommen gegangen verloren stimmt heißt heisst heiße heisse steht liegt
		bevor seitdem damals vielleicht wirklich gerade gestern`,
	"fr": `ville village maison chemin route porte homme femme enfant père pere mère mere frère frere soeur sœur ` +
		`fils fille ami amis
		roi guerre épée epee argent eau nuit jour année années vie mort clé clef lettre forgeron aubergiste moulin ` +
		`trouver cherche chercher veux acheter vendre vend aider aide
		connais-tu doit entendu parti arrivé vu perdu dire savoir vrai étranger monsieur madame chose peut-être ` +
		`vraiment pièces`,
	"es": `ciudad pueblo casa camino puerta puente torre hombre mujer niño niña padre madre hermano hermana hijo ` +
		`hija amigo amigos
		rey guerra espada dinero agua noche día dia año años vida muerte llave carta herrero posadero molino busco ` +
		`buscar encontrar comprar vender vende ayuda ayudar
		queda debe dijeron pasó paso visto ido perdido hacer decir saber verdad forastero cosa tal quizás tenemos favor ` +
		`dame dime primavera`,
	"it": `città citta paese casa strada porta ponte torre uomo donna bambino padre madre fratello sorella figlio ` +
		`figlia amico amici
		guerra spada soldi acqua notte giorno anno anni vita morte chiave lettera fabbro mulino bruciato cerco trovare ` +
		`comprare vendere aiuto aiutare
		niente visto perso fare dire sapere vero signore storia forse`,
	"pt": `cidade aldeia casa caminho porta ponte torre homem mulher menino pai mãe irmão irmã filho filha amigo amigos
		rei guerra espada dinheiro água noite dia ano anos vida morte chave carta ferreiro moinho procuro encontrar ` +
		`comprar vender ajuda ajudar
		visto perdido fazer dizer saber verdade senhor história coisa talvez`,
	"nl": `stad dorp huis straat brug toren poort man vrouw kind vader moeder broer zus zoon dochter vriend vrienden
		koning oorlog zwaard brood geld goud water nacht dag jaar jaren leven dood sleutel brief smid molen brand ` +
		`gestoken zoek vinden kopen verkopen help helpen
		gezien verloren doen zeggen weten waar heer verhaal misschien`,
}

// idioms are foreign phrases that belong to English: they say nothing of who
// writes them.
var idioms = func() map[string]bool {
	out := map[string]bool{}
	for _, s := range []string{"c'est la vie", "hasta la vista", "hasta la vista baby", "vaya con dios", "mon dieu",
		"sacre bleu", "deja vu", "guten tag",
		"gute nacht", "danke schön", "bitte schön", "que sera sera", "mi casa es su casa", "au revoir", "bon voyage",
		"buenas noches", "buenos dias", "muchas gracias", "merci beaucoup"} {
		out[s] = true
	}
	return out
}()

// wordWeights is, for each word, how much it speaks for each language it belongs
// to: less the more languages share it, and little where one of them is English.
var wordWeights = func() map[string]map[string]float64 {
	out := map[string]map[string]float64{}
	for _, lists := range []map[string]string{functionWords, contentWords} {
		for lang, list := range lists {
			for _, w := range strings.Fields(list) {
				if out[w] == nil {
					out[w] = map[string]float64{}
				}
				out[w][lang] = 1
			}
		}
	}
	for _, langs := range out {
		_, english := langs["en"]
		english = english && len(langs) > 1
		for lang := range langs {
			switch {
			case english && lang == "en":
				langs[lang] = 0.5
			case english:
				langs[lang] = 0.25
			default:
				langs[lang] = 1 / math.Sqrt(float64(len(langs)))
			}
		}
	}
	return out
}()
