package catalogue

// The areas of science, as the standards call them.
const (
	physicalSciences = "Physical Sciences"
	lifeSciences     = "Life Sciences"
	earthAndSpace    = "Earth and Space Sciences"
	engineering      = "Engineering, Technology, and Applications of Science"
)

// The bands of grades.
const (
	primaryGrades    = "K-2"
	elementaryGrades = "3-5"
	middleGrades     = "6-8"
	highGrades       = "9-12"
)

var ngssGrades = []NGSSGrade{
	{primaryGrades, "Primary school: kindergarten to grade 2", []string{"4CA", "4CD"}},
	{elementaryGrades, "Elementary school: grades 3 to 5", []string{"4CD"}},
	{middleGrades, "Middle school: grades 6 to 8", []string{"4CF", "4CL"}},
	{highGrades, "High school: grades 9 to 12", []string{"4CL", "4CN"}},
}

var ngssIdeas = []NGSSIdea{
	{
		"PS1", physicalSciences, "Matter and Its Interactions",
		[]string{"PHF", "PHM", "PHN", "PN"}, // states of matter, atoms, nuclei, chemistry
		map[string][]string{
			primaryGrades:    {"PHF", "PN"},
			elementaryGrades: {"PHF", "PN"},
			middleGrades:     {"PHF", "PHM", "PN"},
		},
	},
	{
		"PS2", physicalSciences, "Motion and Stability: Forces and Interactions",
		[]string{"PHD", "PHK"}, // mechanics, electricity and magnetism
		map[string][]string{primaryGrades: {"PHD"}},
	},
	{
		"PS3", physicalSciences, "Energy",
		[]string{"PHD", "PHH", "PHK", "TH"}, // mechanics, heat, electricity, energy technology
		map[string][]string{primaryGrades: {"PHD", "PHH"}},
	},
	{
		"PS4", physicalSciences, "Waves and Their Applications in Technologies for Information Transfer",
		[]string{"PHDS", "PHJ", "PHK", "TJK"}, // waves, optics, electromagnetism, communications
		map[string][]string{
			primaryGrades:    {"PHDS", "PHJ"},
			elementaryGrades: {"PHDS", "PHJ", "TJK"},
		},
	},
	{
		"LS1", lifeSciences, "From Molecules to Organisms: Structures and Processes",
		// neurosciences, biochemistry, development, molecules, cells, microbes, plants, animals, human biology
		[]string{"PSAN", "PSB", "PSC", "PSD", "PSF", "PSG", "PST", "PSV", "PSX"},
		map[string][]string{
			primaryGrades:    {"PST", "PSV"},
			elementaryGrades: {"PST", "PSV", "PSX"},
			middleGrades:     {"PSAN", "PSC", "PSF", "PSG", "PST", "PSV", "PSX"},
		},
	},
	{
		"LS2", lifeSciences, "Ecosystems: Interactions, Energy, and Dynamics",
		[]string{"PSAF", "RNC"}, // ecology, applied ecology
		map[string][]string{primaryGrades: {"PSAF"}},
	},
	{
		"LS3", lifeSciences, "Heredity: Inheritance and Variation of Traits",
		[]string{"PSAK", "PSD"}, // genetics, molecular biology
		map[string][]string{primaryGrades: {"PSAK"}, elementaryGrades: {"PSAK"}},
	},
	{
		"LS4", lifeSciences, "Biological Evolution: Unity and Diversity",
		[]string{"PSAJ", "RBX", "RNKH"}, // evolution, palaeontology, wildlife and habitats
		map[string][]string{primaryGrades: {"RNKH"}},
	},
	{
		"ESS1", earthAndSpace, "Earth's Place in the Universe",
		[]string{"PG", "RBG", "RBX"}, // astronomy, geology, palaeontology
		map[string][]string{primaryGrades: {"PGM", "PGS", "RBG"}},
	},
	{
		"ESS2", earthAndSpace, "Earth's Systems",
		[]string{"RB"}, // Earth sciences
		map[string][]string{
			primaryGrades:    {"RBG", "RBK", "RBP"},
			elementaryGrades: {"RBC", "RBG", "RBK", "RBP"},
		},
	},
	{
		"ESS3", earthAndSpace, "Earth and Human Activity",
		[]string{"RN", "THV"}, // the environment, renewable energy
		map[string][]string{
			primaryGrades:    {"RNF", "RNK", "RNR"},
			elementaryGrades: {"RNF", "RNK", "RNR", "THV"},
		},
	},
	{
		"ETS1", engineering, "Engineering Design",
		[]string{"TB"}, // technology in general
		map[string][]string{primaryGrades: {"TBC", "TBD"}},
	},
}
