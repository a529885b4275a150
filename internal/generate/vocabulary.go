package generate

import "github.com/filmstrip/filmstrip/catalogue"

// area is a subject with the vocabulary of its videos. Nouns and adjectives are in descending frequency; neighboring
// nouns form the names of topics.
type area struct {
	name       string
	discipline string // Discipline.Code
	thema      string // code and description, separated by a space
	segments   []catalogue.MarketSegment
	nouns      string
	adjectives string
}

var (
	school     = []catalogue.MarketSegment{"K12"}
	university = []catalogue.MarketSegment{"HIGHER_EDUCATION"}
	everywhere = []catalogue.MarketSegment{"K12", "HIGHER_EDUCATION"}
)

// disciplineNames are the disciplines by code, in the order of output.
var disciplineNames = [][2]string{
	{"mathematics", "Mathematics"},
	{"science", "Science"},
	{"technology", "Technology and Engineering"},
	{"social-studies", "Social Studies"},
	{"humanities", "Humanities"},
	{"arts", "Arts"},
	{"languages", "Languages"},
	{"wellbeing", "Health and Wellbeing"},
}

// areas are the subjects, the most frequent first.
var areas = []area{
	{"Biology", "science", "PS Biology, life sciences", everywhere,
		"cell membrane protein enzyme gene chromosome plant leaf animal species habitat ecosystem photosynthesis respiration bacteria virus organ tissue evolution mutation predator prey root stem fungus mitochondrion nucleus neuron hormone digestion",
		"living cellular genetic microscopic aquatic recessive dominant"},
	{"Algebra", "mathematics", "PBF Algebra", school,
		"equation variable function graph polynomial factor exponent root expression coefficient inequality solution matrix determinant sequence series quadratic parabola slope intercept logarithm fraction ratio proportion binomial radical substitution elimination",
		"linear quadratic rational unknown simultaneous algebraic"},
	{"World History", "humanities", "NHB General and world history", everywhere,
		"empire kingdom war treaty revolution rebellion king queen trade route explorer colony soldier battle army fortress religion reform peasant noble merchant harbour siege alliance dynasty plague archive chronicle voyage armistice",
		"medieval colonial imperial industrial royal feudal"},
	{"Physics", "science", "PH Physics", everywhere,
		"force motion energy momentum velocity acceleration gravity friction wave frequency light reflection refraction lens electron charge current voltage resistance circuit magnet field pressure density heat temperature pendulum torque radiation quantum spectrum",
		"kinetic magnetic electric thermal potential elastic nuclear"},
	{"Literature", "languages", "DS Literature: history and criticism", everywhere,
		"novel character poem rhyme plot narrator metaphor simile theme symbol tragedy comedy sonnet stanza author reader myth legend dialogue chapter satire irony essay biography fable setting conflict monologue",
		"poetic tragic narrative literary gothic romantic"},
	{"Chemistry", "science", "PN Chemistry", everywhere,
		"atom molecule reaction equation acid base bond ion element compound metal crystal solution solvent catalyst oxidation reduction mixture distillation gas liquid solid isotope electron salt carbon hydrogen oxygen polymer titration equilibrium",
		"chemical acidic organic ionic covalent volatile soluble"},
	{"Geometry", "mathematics", "PBM Geometry", school,
		"angle triangle circle radius line segment polygon square rectangle area perimeter volume surface cube sphere pyramid symmetry rotation translation reflection proof theorem diagonal chord tangent arc vertex parallel",
		"right equal congruent similar acute obtuse"},
	{"Computer Science", "technology", "UY Computer science", everywhere,
		"program algorithm loop condition variable array list tree graph search sort memory processor network protocol packet database query server browser encryption password bug test recursion compiler syntax interface pixel robot",
		"digital binary recursive parallel secure virtual"},
	{"Geography", "social-studies", "RG Geography", school,
		"river mountain coast erosion map scale climate rainfall desert forest city population migration border country continent ocean current island volcano harvest farm glacier valley delta flood drought settlement tourism resource",
		"coastal urban rural tropical arid physical"},
	{"Economics", "social-studies", "KC Economics", everywhere,
		"market price demand supply inflation wage tax budget trade tariff currency bank interest loan firm consumer producer labour capital monopoly profit cost growth recession unemployment investment export import subsidy",
		"fiscal monetary competitive marginal scarce global"},
	{"Astronomy", "science", "PG Astronomy, space and time", everywhere,
		"planet moon star galaxy orbit eclipse telescope comet asteroid meteor nebula supernova satellite rocket astronaut constellation universe gravity sun crater ring season tide observatory spectrum dwarf pulsar horizon",
		"solar lunar distant stellar cosmic bright"},
	{"Statistics", "mathematics", "PBT Probability and statistics", everywhere,
		"sample mean median mode variance deviation probability event distribution hypothesis test correlation regression chart histogram survey bias outlier percentile interval dice permutation combination expectation estimate population",
		"random normal statistical independent conditional"},
	{"American History", "humanities", "NHK History of the Americas", school,
		"colony settler constitution president congress state union slavery abolition amendment frontier railroad treaty immigrant suffrage strike depression senator governor march segregation boycott militia plantation homestead declaration",
		"federal native southern northern civil"},
	{"English Grammar", "languages", "CFK Grammar, syntax and morphology", school,
		"sentence verb noun adjective adverb clause phrase pronoun tense comma apostrophe paragraph subject object preposition conjunction prefix suffix spelling punctuation synonym antonym plural participle vowel consonant article",
		"active passive irregular compound possessive"},
	{"Music", "arts", "AV Music", everywhere,
		"rhythm melody chord scale note tempo beat harmony song singer orchestra violin piano drum guitar flute composer symphony concert opera choir pitch octave instrument dynamics improvisation jazz",
		"musical major minor rhythmic acoustic"},
	{"Visual Arts", "arts", "AG Fine arts: treatments and subjects", everywhere,
		"painting colour portrait landscape sculpture drawing line texture perspective canvas brush pigment shadow museum artist gallery sketch collage mosaic fresco print pottery clay glaze design pattern exhibition",
		"abstract modern decorative vivid realistic"},
	{"Calculus", "mathematics", "PBK Calculus and mathematical analysis", university,
		"derivative integral limit function tangent slope curve area series convergence vector gradient divergence maximum minimum rate theorem continuity differential substitution optimisation parameter surface",
		"continuous partial infinite definite differentiable"},
	{"Earth Science", "science", "RB Earth sciences", school,
		"rock mineral volcano earthquake plate crust mantle magma fossil sediment soil water cycle atmosphere cloud storm hurricane tornado weather front glacier erosion layer strata cave geyser tsunami basalt granite",
		"igneous tectonic sedimentary molten seismic"},
	{"Psychology", "social-studies", "JM Psychology", university,
		"memory behaviour emotion motivation perception attention brain learning conditioning stimulus response personality therapy anxiety sleep dream cognition attachment development bias experiment identity habit stress language",
		"cognitive emotional social clinical conscious"},
	{"Civics", "social-studies", "JP Politics and government", school,
		"government citizen vote election law right court judge parliament party constitution democracy debate minister president bill committee freedom protest campaign ballot candidate jury petition council tax treaty",
		"political democratic legal public constitutional"},
	{"Engineering", "technology", "TB Technology: general", university,
		"bridge machine engine gear lever pulley turbine motor sensor circuit beam truss material steel concrete prototype design load stress valve pump drone battery generator tunnel crane robot blueprint",
		"mechanical electrical hydraulic structural efficient"},
	{"Environmental Science", "science", "RN The environment", everywhere,
		"climate carbon emission pollution recycling energy forest ocean plastic biodiversity conservation habitat extinction waste water wind sunlight compost fertiliser drought reef greenhouse methane footprint wetland pesticide",
		"renewable sustainable toxic global natural"},
	{"Arithmetic", "mathematics", "PB Mathematics", school,
		"number addition subtraction multiplication division fraction decimal percentage digit place value remainder product sum difference quotient clock money coin measure estimate rounding multiple prime pattern counting",
		"whole equal mixed equivalent simple"},
	{"Business Studies", "social-studies", "KJ Business and management", university,
		"company customer brand marketing product strategy manager team finance invoice profit startup entrepreneur negotiation supply logistics contract advertising audit leadership budget shareholder stock merger retail",
		"commercial financial strategic corporate profitable"},
	{"Ancient History", "humanities", "NHC Ancient history", everywhere,
		"pharaoh pyramid temple tomb mummy emperor senate legion gladiator aqueduct scroll hieroglyph papyrus chariot oracle philosopher city-state citizen slave myth ruin excavation pottery inscription amphitheatre",
		"ancient sacred roman classical buried"},
	{"Health", "wellbeing", "VF Family and health", school,
		"heart blood lung muscle bone nutrition vitamin diet sleep exercise hygiene disease vaccine immunity allergy injury safety stress nurse doctor tooth skin infection medicine protein breakfast addiction",
		"healthy balanced chronic infectious mental"},
	{"Medicine", "science", "MB Medicine: general", university,
		"patient diagnosis symptom artery vein kidney liver surgery anatomy pathology tumour antibiotic hormone insulin diabetes cancer stroke pulse pressure screening anaesthesia epidemic pharmacology therapy syndrome biopsy lesion",
		"clinical acute arterial surgical pulmonary"},
	{"Philosophy", "humanities", "QD Philosophy", university,
		"ethics logic argument truth knowledge reason mind soul freedom justice virtue duty belief doubt existence paradox premise conclusion consciousness morality utility thinker scepticism fallacy idealism",
		"moral logical rational ethical absolute"},
	{"Religious Studies", "humanities", "QR Religion and beliefs", school,
		"prayer temple church mosque festival prophet scripture ritual pilgrimage belief tradition symbol saint monk community charity ceremony fasting creation worship blessing synagogue meditation parable",
		"sacred religious holy spiritual ceremonial"},
	{"World Languages", "languages", "CJ Language teaching and learning", everywhere,
		"vocabulary pronunciation conversation greeting verb accent alphabet translation dialect listening reading phrase family food travel shopping weather number colour question conjugation idiom fluency tone gesture",
		"foreign spoken polite fluent everyday"},
	{"Performing Arts", "arts", "AT Performing arts", everywhere,
		"theatre actor stage dance ballet costume rehearsal audience script scene director puppet mask choreography gesture improvisation lighting curtain musical circus spotlight makeup prop tragedy applause",
		"theatrical dramatic live choral graceful"},
	{"Media Studies", "arts", "JBCT Media studies", everywhere,
		"film camera newspaper headline journalist interview documentary advertisement audience broadcast radio editing soundtrack genre scene animation podcast propaganda source fact screen photograph caption platform",
		"visual cinematic misleading printed viral"},
	{"Sociology", "social-studies", "JHB Sociology", university,
		"society culture class family community norm inequality gender race identity institution migration poverty crime deviance socialisation stereotype education media globalisation network survey status power neighbourhood",
		"social cultural unequal urban collective"},
	{"Physical Education", "wellbeing", "S Sports and active outdoor recreation", school,
		"football basketball running swimming jump throw balance team coach warmup stretch sprint relay goal referee stamina strength gymnastics tennis racket cricket volleyball marathon teamwork yoga",
		"athletic competitive aerobic flexible fit"},
	{"Careers", "wellbeing", "VSC Advice on careers and achieving success", everywhere,
		"job interview skill resume apprentice employer workplace internship teamwork deadline salary promotion mentor application portfolio nurse engineer chef pilot carpenter designer programmer electrician networking",
		"professional vocational confident practical flexible"},
}

const (
	irregularPlurals = "leaf:leaves fungus:fungi nucleus:nuclei mitochondrion:mitochondria matrix:matrices radius:radii vertex:vertices spectrum:spectra " +
		"equilibrium:equilibria stimulus:stimuli maximum:maxima minimum:minima tooth:teeth"
	// withoutPlural are nouns that are used in the singular, and nouns that are plurals already.
	withoutPlural = "series species bacteria strata photosynthesis respiration evolution digestion velocity acceleration gravity friction light energy " +
		"radiation heat electricity satire irony oxidation reduction distillation carbon hydrogen oxygen encryption recursion syntax erosion rainfall " +
		"migration tourism labour inflation demand supply unemployment slavery abolition suffrage segregation spelling punctuation improvisation jazz " +
		"convergence continuity optimisation magma soil water weather basalt granite behaviour motivation perception attention learning conditioning " +
		"cognition sleep anxiety stress freedom democracy steel concrete pollution recycling biodiversity conservation extinction waste wind sunlight " +
		"compost methane addition subtraction multiplication division rounding counting money marketing finance advertising leadership retail blood " +
		"nutrition hygiene immunity safety protein medicine pathology insulin diabetes cancer anaesthesia pharmacology anatomy truth knowledge justice " +
		"existence consciousness morality utility scepticism idealism worship fasting meditation charity vocabulary pronunciation food travel shopping " +
		"listening reading fluency lighting choreography makeup applause propaganda editing radio inequality gender poverty crime deviance socialisation " +
		"education media globalisation power football basketball running swimming balance stamina strength gymnastics tennis cricket volleyball teamwork " +
		"yoga networking photography ballet pottery profit"
)

// people may occur in every subject.
const people = "students scientists teachers researchers families engineers artists workers historians doctors children farmers writers experts travellers"

// tailPrefixes, tailRoots and tailSuffixes form 2^18 coined terms, and nameStarts, nameMiddles and nameEnds 2^18 coined
// names: 64*128*32 and 64*64*64.
const (
	tailPrefixes = "hydro thermo bio geo photo micro macro electro magneto neuro cyto chromo helio litho cryo pyro aero astro baro chemo chrono cardio derma dyna eco endo exo ferro fluoro glyco hema hetero homo hyper hypo immuno infra inter iso kine lacto lipo meso meta mono morpho multi myco nano nitro ortho osmo oxy paleo para patho penta peri phyto poly proto pseudo radio tele"
	tailRoots    = "graph phyll morph genet metr crin tax stat klept plasm some therm troph tect derm phor cycl gen lys path phag phil phob phon phot plas pod pol psych pter rhiz sphere spor stas stere stom strat syn tel thec thorac tom ton top tox trop typ vor zyg bar blast bol carp cephal chlor clad clast cline coel cosm crat dactyl dendr dont drom dyn erg fract fus glob gnos gon gyr hal hedr hemer klon kryps lact lept lith log mant mel mer mim mnes mon nect nom nyct ocul odont olig onym ops orb orex organ osm oste ov pachy ped pelag pept petal phan phras phyl pil plank plex pneum por prism prot pyl quer radic rem ret rhod scler scop sem tach tend"
	tailSuffixes = "y ic al ous ism ist ity ide ine ase ate oid ology ography osis esis ation ization onic etic ular inal olytic ometer oscope oplast ogenic ium yte ane ol ing"

	nameStarts  = "Al Ar Ash Bar Bel Ber Bran Cal Car Cor Dal Dar Del Dun El En Fal Far Fen Gal Gar Glen Hal Har Hel Il In Jar Jor Kal Kar Kel Lan Lar Len Mal Mar Mel Mor Nal Nor Or Os Pal Par Pel Quin Ral Ran Ros Sal San Sel Tal Tar Tor Ul Val Ver Wal Wen Yar Zan Zel"
	nameMiddles = "a an ar as ba be bi bo ca ce da de di do e el en er fa fi ga gi go ha i il in ir ka ki la le li lo ma me mi mo na ne ni no o on or os pa pe ra re ri ro sa se si ta te ti to u va ve vi za"
	nameEnds    = "bach berg born bourne by croft dale den don dorf dra field ford gate grove ham heim holm hurst kov land leigh ley lin ling lo low man mar mere mond mont more mouth ner nes ning nova ra rado rian ric ridge rin ris shaw side sky son stad stead ster stone ta ton tova vale vik ville wald well wick worth wyn"
)
