package entail

import "github.com/forsooth-npc/forsooth/internal/text"

// negations deny what they stand with.
var negations = text.Set(text.Denials + " " + text.NearDenials)

// hedging are words with which a text does not vouch for what follows.
var hedging = text.Set(`might may could perhaps maybe possibly probably supposedly allegedly reportedly apparently
	seemingly presumably likely unlikely`)

// intending are words after which a verb names what is wanted or tried, not done.
var intending = text.Set(`want wants wanted hope hopes hoped plan plans planned try tries tried intend intends
	intended mean means meant threaten threatens threatened attempt attempts attempted offer offers offered promise
	promises promised refuse refuses refused fail fails failed wish wishes wished agree agrees agreed decide decides
	decided`)

// universals speak of all or none.
var universals = text.Set(`all every each everyone everybody everything everywhere always never none nobody nothing
	nowhere entire whole entirely completely wholly forever only sole solely exclusively any anyone anybody anything
	whichever whenever without-exception`)

// partials speak of a part.
var partials = text.Set(`some many most few several much often sometimes usually mostly occasionally partly partially
	seldom rarely somebody someone something somewhere majority minority part half plenty lots generally largely`)

// antonyms are stems that exclude one another.
var antonyms = text.Opposites(text.OppositeStates + ";" + antonymList)

const antonymList = `open / close; unlocked / locked; alive living / died killed; survived lived / died perished;
	north northern / south southern; east eastern / west western; northeast / southwest; northwest / southeast;
	before / after; earlier / later; above over upstairs / below under beneath downstairs;
	up upward upwards / down downward downwards; inside within indoors / outside outdoors; left / right;
	near close nearby / far distant; buy bought / sell sold; lend lent / borrow borrowed;
	give gave given / take took taken receive received; won win winning / lost lose losing; victory / defeat;
	arrive arrived came come / leave left depart departed went; enter entered / exit exited leave left;
	begin began start started / end ended finish finished stop stopped;
	rise rose risen raise raised / fall fell fallen lower lowered;
	increase increased grow grew / decrease decreased shrink shrank shrunk; more most / less least fewer fewest;
	large big huge great giant enormous / small little tiny; tall high / short low; wide broad / narrow; thick / thin;
	heavy / light; strong stronger / weak weaker feeble; fast quick swift quickly / slow slowly; wet damp / dry;
	old older ancient elder / young younger new newer; first / last; light bright / dark; white / black;
	good / bad evil; best / worst; greater / lesser; favourite / least; better / worse;
	friend friendly ally / enemy hostile foe; love loved loves / hate hated hates loathe;
	like liked likes / dislike disliked dislikes hate hated;
	trust trusted trusts / distrust distrusted mistrust suspect; true truth / false lie untrue; safe / unsafe;
	easy / hard difficult; cheap / expensive costly dear; free / captive imprisoned;
	freed released / captured imprisoned jailed;
	allow allowed permit permitted / forbid forbidden forbade ban banned prohibit prohibited;
	accept accepted agreed agree / refuse refused reject rejected declined;
	remember remembered / forget forgot forgotten; find found / lose lost; keep kept / discard discarded;
	build built / destroy destroyed demolish demolished; save saved rescued / destroyed killed abandoned;
	attack attacked / defend defended; push pushed / pull pulled; male man boy / female woman girl; husband / wife;
	brother / sister; father / mother; son / daughter; uncle / aunt; king / queen; nephew / niece;
	grandfather / grandmother; present / absent; asleep sleeping / awake;
	success succeed succeeded / failure fail failed; same / different; alone / together;
	often frequently / seldom rarely; everybody everyone all / nobody none; everything / nothing; with / without;
	maximum / minimum; shallow / deep; smooth / rough; clean / dirty; calm / stormy; brave / cowardly coward;
	honest / lying; visible / invisible hidden; useful / useless; sharp / blunt dull; fresh / stale rotten;
	senior / junior; master / servant apprentice; teacher / pupil student; guest / host; debtor / creditor;
	landlord / tenant; victim / murderer; hunter / prey; odd / even; permanent / temporary; natural / artificial;
	domestic / wild; tame / wild; frozen / thawed; upstream / downstream; clockwise / counterclockwise anticlockwise;
	front / back behind; top / bottom; import / export; ascend ascended climb climbed / descend descended;
	gain gained / lose lost; hire hired / fire fired dismissed; praise praised / blame blamed condemned;
	proud / ashamed; glad happy / sad unhappy; legal lawful / illegal unlawful;
	helped helps help / hindered hinders hinder; wins / loses; worsen worsened / improve improved;
	hide hid hidden / show showed shown reveal revealed`
