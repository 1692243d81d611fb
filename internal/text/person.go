package text

// Words for people, by what pronoun may stand for them.
const (
	Women = ` mother sister daughter wife widow aunt queen woman women girl lady niece grandmother maid witch priestess
		empress duchess princess mistress bride nun abbess goddess baroness countess matron midwife nurse seamstress heiress
		mum mom mam mama ma granny gran grandma nan lass stepmother stepsister `
	Men = ` father brother son husband widower uncle king man men boy lord nephew grandfather priest monk friar
		bishop abbot
		emperor duke prince groom baron count squire knight gentleman dad da papa grandpa grandad lad fellow bloke stepfather
		stepbrother `
	Anybody = ` captain master guard guards merchant miller smith baker innkeeper stranger neighbour neighbor friend cousin
		thief killer murderer teacher student pupil apprentice partner lover rival enemy boss chief mayor reeve sheriff judge
		doctor soldier sergeant officer rider traveller traveler hunter farmer fisher trader dealer hacker child baby
		somebody someone anyone anybody whoever another other ruler owner employer client customer colleague `
)
