package generate

// foreignWords are the vocabulary of a language: nouns by discipline, in the order of disciplineNames, except in English;
// all other words are shared.
type foreignWords struct {
	nouns      [8]string
	adjectives string
	verbs      string
	people     string
	titles     []string
	sentences  []string
	speech     []string
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
	adjectives: "importante simple antiguo moderno grande pequeño rápido lento natural común famoso social",
	verbs:      "explican cambian forman miden comparan mueven protegen construyen describen descubren crean unen",
	people:     "estudiantes científicos maestros investigadores familias ingenieros artistas trabajadores",
	titles: []string{
		"La {f} y el {g} en {p}", "Cómo los {F} {v} los {N}", "Introducción a los {F}: {n} y {g}",
		"Qué es {f}: {a} y {a}", "Historia de la {f} desde {y}", "{f}, {g} y {t}", "Los {F} de {p}, parte {k}",
	},
	sentences: []string{
		"En este vídeo los {w} {v} los {F} y aprendemos por qué la {n} es {a}.",
		"Los {F} de {p} {v} los {N} desde el año {y}.",
		"La {f} es {a}, pero la {g} también cambia cuando los {w} {v} los {N}.",
		"Al final de la lección podemos describir {k} {N} y explicar el término {t}.",
		"Sin {N} no hay {f}, y sin {g} los {w} no {v} nada.",
	},
	speech: []string{
		"Vamos a mirar otra vez la {f}.", "Como veis, los {N} {v} los {F} de una manera {a}.",
		"Aquí la {n} y la {g} {v} juntas.", "Entonces los {w} {v} el {n}, y eso es {a}.",
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
	adjectives: "important simple ancien moderne grand petit rapide lent naturel commun célèbre social",
	verbs:      "expliquent changent forment mesurent comparent protègent construisent décrivent découvrent créent relient montrent",
	people:     "élèves savants professeurs chercheurs familles ingénieurs artistes ouvriers",
	titles: []string{
		"Le {f} et la {g} à {p}", "Comment les {F} {v} les {N}", "Introduction aux {F} : {n} et {g}",
		"Pourquoi étudier le {f} {a}", "Histoire du {f} depuis {y}", "{f}, {g} et {t}", "Les {F} de {p}, partie {k}",
	},
	sentences: []string{
		"Dans cette vidéo, les {w} {v} les {F} et nous apprenons pourquoi la {n} est {a}.",
		"Les {F} de {p} {v} les {N} depuis {y}.",
		"Le {f} est {a}, mais la {g} change aussi quand les {w} {v} les {N}.",
		"À la fin de la leçon, on peut décrire {k} {N} et expliquer le terme {t}.",
		"Sans {N} il n'y a pas de {f}, et sans {g} les {w} ne {v} rien.",
	},
	speech: []string{
		"Regardons encore une fois le {f}.", "Vous voyez que les {N} {v} les {F} de façon {a}.",
		"Ici la {n} et la {g} se rejoignent.", "Alors les {w} {v} le {n}, et c'est {a}.",
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
	adjectives: "wichtige einfache alte moderne große kleine schnelle langsame natürliche häufige berühmte soziale",
	verbs:      "erklären verändern bilden messen vergleichen bewegen schützen bauen beschreiben entdecken schaffen verbinden",
	people:     "Schüler Forscherinnen Lehrer Wissenschaftler Familien Ingenieurinnen Künstler Arbeiter",
	titles: []string{
		"{f} und {g} in {p}", "Wie {a} {N} die {f} {v}", "Einführung: {f}, {n} und {g}",
		"Was bedeutet {f} für {g}?", "Die Geschichte von {f} seit {y}", "{f}, {g} und {t}", "{f} aus {p}, Teil {k}",
	},
	sentences: []string{
		"In diesem Video {v} {w} das Thema {f} und zeigen, warum {n} so viel ausmacht.",
		"Seit {y} {v} {a} {w} in {p} das Thema {f}.",
		"Ohne {n} gäbe es weder {f} noch {g}, sagen die {w}.",
		"Am Ende der Stunde kann man {k} Beispiele nennen und den Begriff {t} erklären.",
		"Das {a} Beispiel {f} und das Beispiel {g} {v} einander.",
	},
	speech: []string{
		"Schauen wir uns noch einmal {f} an.", "Man sieht, dass {w} hier {f} und {n} {v}.",
		"Hier kommen {n} und {g} zusammen.", "Und dann {v} die {w} auch {n}.",
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
	adjectives: "重要 简单 古代 现代 巨大 微小 快速 缓慢 自然 常见 著名 社会",
	verbs:      "解释 改变 形成 测量 比较 移动 保护 建造 描述 发现 创造 连接",
	people:     "学生 科学家 老师 研究人员 家长 工程师 艺术家 工人",
	titles: []string{
		"{f}与{g}的关系", "{p}的{a}{f}", "{f}如何{v}{n}", "认识{f}：{n}和{g}",
		"{f}的历史：从{y}年开始", "{t}和{f}入门", "{w}怎样{v}{p}的{f}",
	},
	sentences: []string{
		"在这个视频里，{w}{v}{f}，我们学习为什么{n}很{a}。", "从{y}年起，{p}的{w}一直在{v}{a}的{f}和{n}。",
		"没有{n}就没有{f}，没有{g}，{w}也不能{v}它。", "课程结束时，你可以说出{k}种{n}，并且解释{t}。",
	},
	speech: []string{
		"我们再看一次{f}。", "大家可以看到，{n}{v}{f}。", "这里{n}和{g}在一起。", "然后{w}{v}{n}，这很{a}。",
	},
}

// hanSyllables are the 64 characters of coined names and terms in Chinese; a name has three.
const hanSyllables = "安巴白北本波达德东多恩尔法菲福格古哈海汉河华吉加金卡科克拉兰雷里利林龙卢罗马曼梅米明莫纳南尼宁诺欧帕佩平普奇青瑞萨塞山圣斯苏塔特"
