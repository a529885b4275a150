package generate

// foreignWords are the vocabulary of a language: nouns by discipline, in the order of disciplineNames, except in English;
// all other words are shared.
type foreignWords struct {
	nouns     [8]string
	people    string
	titles    []string
	sentences []string
	speech    []string
}

var spanish = foreignWords{
	nouns: [8]string{
		"número ecuación fracción triángulo función gráfica ángulo suma probabilidad medida",
		"célula energía planta átomo planeta fuerza animal reacción volcán bosque",
		"programa máquina motor red algoritmo puente sensor dato circuito robot",
		"mercado ciudad frontera gobierno elección precio población familia derecho mapa",
		"imperio guerra rey templo revolución batalla tratado filósofo creencia ruta",
		"pintura canción danza teatro película escultura ritmo color orquesta retrato",
		"verbo poema novela frase acento cuento lectura palabra conversación personaje",
		"salud corazón deporte sueño vacuna alimento equipo trabajo músculo hábito",
	},
	people: "estudiantes científicos maestros investigadores familias ingenieros artistas trabajadores",
	titles: []string{
		"{F} y {G}: ¿cuál es la diferencia?",
		"Aprender sobre {F} en {p}",
		"Introducción: {F}, {G} y {N}",
		"{k} preguntas sobre {F} y {N}",
		"Historia: {F} desde {y}",
		"{F}, {G} y la palabra {t}",
		"{F} en {p}, parte {k}",
	},
	sentences: []string{
		"Este vídeo trata de {F}, de {G} y de {N}.",
		"{w} de {p} hablan de {N} y de lo que se sabe desde {y}.",
		"Al final puedes nombrar {k} ejemplos y explicar la palabra {t}.",
		"No hace falta saber nada de {N} para entender la parte sobre {G}.",
		"Una animación compara {F} con {G}, paso a paso.",
	},
	speech: []string{
		"Vamos a hablar otra vez de {F} y de {N}, como en {p}.",
		"Como veis, {N} y {G} tienen algo en común desde {y}.",
		"Aquí hay {k} ejemplos de {F} y {k} de {N}, todos de {p}.",
		"Y ahora, una pregunta sobre {G} y sobre la palabra {t}.",
	},
}

var french = foreignWords{
	nouns: [8]string{
		"nombre équation fraction triangle fonction graphique angle somme probabilité mesure",
		"cellule énergie plante atome planète force animal réaction volcan forêt",
		"programme machine moteur réseau algorithme pont capteur donnée circuit robot",
		"marché ville frontière gouvernement élection prix population famille droit carte",
		"empire guerre roi temple révolution bataille traité philosophe croyance route",
		"peinture chanson danse théâtre film sculpture rythme couleur orchestre portrait",
		"verbe poème roman phrase accent conte lecture mot conversation personnage",
		"santé cœur sport sommeil vaccin aliment équipe métier muscle habitude",
	},
	people: "élèves savants professeurs chercheurs familles ingénieurs artistes ouvriers",
	titles: []string{
		"Les {F} et les {G} : quelle différence ?",
		"Comprendre les {F} à {p}",
		"Introduction : les {F}, les {G} et les {N}",
		"{k} questions sur les {F} et les {N}",
		"Histoire : les {F} depuis {y}",
		"Les {F}, les {G} et le mot {t}",
		"Les {F} à {p}, partie {k}",
	},
	sentences: []string{
		"Cette vidéo présente les {F}, puis les {G} et les {N}.",
		"À {p}, {w} et {w} parlent de ce que l'on sait depuis {y} sur les {N}.",
		"À la fin de la leçon, on peut donner {k} exemples et expliquer le mot {t}.",
		"Il n'est pas nécessaire de connaître les {N} pour suivre la partie sur les {G}.",
		"Une animation compare les {F} avec les {G}, étape par étape.",
	},
	speech: []string{
		"Regardons encore une fois les {F} et les {N}, comme à {p}.",
		"Vous voyez que les {N} et les {G} ont quelque chose en commun depuis {y}.",
		"Voici {k} exemples sur les {F} et {k} sur les {N}, tous venus de {p}.",
		"Et maintenant, une question sur les {G} et sur le mot {t}.",
	},
}

var german = foreignWords{
	nouns: [8]string{
		"Zahl Gleichung Bruch Dreieck Funktion Kurve Winkel Summe Wahrscheinlichkeit Messung",
		"Zelle Energie Pflanze Atom Planet Kraft Tier Reaktion Vulkan Wald",
		"Programm Maschine Motor Netzwerk Algorithmus Brücke Sensor Datenbank Schaltkreis Roboter",
		"Markt Stadt Grenze Regierung Wahl Preis Bevölkerung Familie Gesetz Landkarte",
		"Kaiserreich Krieg König Tempel Revolution Schlacht Vertrag Philosoph Glaube Handelsweg",
		"Gemälde Lied Tanz Theater Film Skulptur Rhythmus Farbe Orchester Bildnis",
		"Verb Gedicht Roman Satz Akzent Märchen Lesung Wort Gespräch Figur",
		"Gesundheit Herz Sport Schlaf Impfung Nahrung Mannschaft Beruf Muskel Gewohnheit",
	},
	people: "Schüler Forscherinnen Lehrer Wissenschaftler Familien Ingenieurinnen Künstler Arbeiter",
	titles: []string{
		"{f} und {g}: Wo liegt der Unterschied?",
		"Was bedeutet das Wort {f}?",
		"Einführung: {f}, {g} und {n}",
		"{k} Fragen zum Thema {f} und {n}",
		"Rückblick: {f} und {g} seit {y}",
		"{f}, {g} und das Wort {t}",
		"{f} und {n} in {p}, Teil {k}",
	},
	sentences: []string{
		"Dieses Video erklärt die Wörter {f} und {g} an einem Beispiel.",
		"Seit {y} beschäftigen sich {w} in {p} mit dem Thema {f}.",
		"Vorwissen zum Thema {n} ist für den Teil über das Thema {g} nicht nötig.",
		"Am Ende der Stunde kann man {k} Beispiele nennen und das Wort {t} erklären.",
		"Eine Animation vergleicht die Beispiele {f} und {g} Schritt für Schritt.",
	},
	speech: []string{
		"Schauen wir uns noch einmal das Thema {f} an, wie in {p}.",
		"Man sieht hier, was {n} und {g} seit {y} gemeinsam haben.",
		"Hier sind {k} Beispiele zum Thema {f}, alle aus {p}.",
		"Und nun eine Frage zum Thema {n} und zum Wort {t}.",
	},
}

var chinese = foreignWords{
	nouns: [8]string{
		"数字 方程 分数 三角形 函数 图表 角度 加法 概率 几何",
		"细胞 能量 植物 原子 行星 力学 动物 反应 火山 森林",
		"程序 机器 发动机 网络 算法 桥梁 传感器 数据 电路 机器人",
		"市场 城市 边界 政府 选举 价格 人口 家庭 法律 地图",
		"帝国 战争 国王 寺庙 革命 战役 条约 哲学 信仰 丝绸之路",
		"绘画 歌曲 舞蹈 戏剧 电影 雕塑 节奏 颜色 乐队 书法",
		"动词 诗歌 小说 句子 声调 故事 阅读 汉字 对话 人物",
		"健康 心脏 体育 睡眠 疫苗 食物 团队 职业 肌肉 习惯",
	},
	people: "学生 科学家 老师 研究人员 家长 工程师 艺术家 工人",
	titles: []string{
		"{f}与{g}的关系",
		"{p}的{f}和{n}",
		"{f}和{g}有什么不同？",
		"认识{f}：{n}和{g}",
		"{f}的历史：从{y}年开始",
		"{t}和{f}入门",
		"{w}谈{p}的{f}",
	},
	sentences: []string{
		"这个视频介绍{f}、{g}和{n}。",
		"从{y}年起，{p}的{w}一直在研究{f}和{n}。",
		"没有{n}的基础知识，也可以听懂关于{g}的部分。",
		"课程结束时，你可以举出{k}个例子，并且解释{t}。",
		"动画一步一步地比较{f}和{g}。",
	},
	speech: []string{
		"我们再看一次{p}的{f}。",
		"大家可以看到，从{y}年起，{n}和{g}有共同点。",
		"这里有{k}个关于{f}的例子，都来自{p}。",
		"现在是一个关于{n}和{t}的问题。",
	},
}

// hanSyllables are the 64 characters of coined names and terms in Chinese; a name has three.
const hanSyllables = "安巴白北本波达德东多恩尔法菲福格古哈海汉河华吉加金卡科克拉兰雷里利林龙卢罗马曼梅米明莫纳南尼宁诺欧帕佩平普奇青瑞萨塞山圣斯苏塔特"
