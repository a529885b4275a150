package catalogue

// languageTable lists ISO 639-2, one language a line: the terminological code, the bibliographic
// one where it differs, the ISO 639-1 one where there is one ("-" where not), and the English name.
// Codes and names: the Library of Congress's list, by way of Debian's iso-codes 4.15.0.
const languageTable = `
aar - aa Afar
abk - ab Abkhazian
ace - - Achinese
ach - - Acoli
ada - - Adangme
ady - - Adyghe
afa - - Afro-Asiatic languages
afh - - Afrihili
afr - af Afrikaans
ain - - Ainu
aka - ak Akan
akk - - Akkadian
ale - - Aleut
alg - - Algonquian languages
alt - - Southern Altai
amh - am Amharic
ang - - Old English
anp - - Angika
apa - - Apache languages
ara - ar Arabic
arc - - Official Aramaic
arg - an Aragonese
arn - - Mapudungun
arp - - Arapaho
art - - Artificial languages
arw - - Arawak
asm - as Assamese
ast - - Asturian
ath - - Athapascan languages
aus - - Australian languages
ava - av Avaric
ave - ae Avestan
awa - - Awadhi
aym - ay Aymara
aze - az Azerbaijani
bad - - Banda languages
bai - - Bamileke languages
bak - ba Bashkir
bal - - Baluchi
bam - bm Bambara
ban - - Balinese
bas - - Basa
bat - - Baltic languages
bej - - Beja
bel - be Belarusian
bem - - Bemba
ben - bn Bangla
ber - - Berber languages
bho - - Bhojpuri
bih - bh Bihari languages
bik - - Bikol
bin - - Bini
bis - bi Bislama
bla - - Siksika
bnt - - Bantu
bod tib bo Tibetan
bos - bs Bosnian
bra - - Braj
bre - br Breton
btk - - Batak languages
bua - - Buriat
bug - - Buginese
bul - bg Bulgarian
byn - - Blin
cad - - Caddo
cai - - Central American Indian languages
car - - Galibi Carib
cat - ca Catalan
cau - - Caucasian languages
ceb - - Cebuano
cel - - Celtic languages
ces cze cs Czech
cha - ch Chamorro
chb - - Chibcha
che - ce Chechen
chg - - Chagatai
chk - - Chuukese
chm - - Mari
chn - - Chinook jargon
cho - - Choctaw
chp - - Chipewyan
chr - - Cherokee
chu - cu Church Slavic
chv - cv Chuvash
chy - - Cheyenne
cmc - - Chamic languages
cnr - - Montenegrin
cop - - Coptic
cor - kw Cornish
cos - co Corsican
cpe - - English based Creoles and pidgins
cpf - - French-based Creoles and pidgins
cpp - - Portuguese-based Creoles and pidgins
cre - cr Cree
crh - - Crimean Tatar
crp - - Creoles and pidgins
csb - - Kashubian
cus - - Cushitic languages
cym wel cy Welsh
dak - - Dakota
dan - da Danish
dar - - Dargwa
day - - Land Dayak languages
del - - Delaware
den - - Slave
deu ger de German
dgr - - Dogrib
din - - Dinka
div - dv Divehi
doi - - Dogri
dra - - Dravidian languages
dsb - - Lower Sorbian
dua - - Duala
dum - - Middle Dutch
dyu - - Dyula
dzo - dz Dzongkha
efi - - Efik
egy - - Egyptian
eka - - Ekajuk
ell gre el Greek
elx - - Elamite
eng - en English
enm - - Middle English
epo - eo Esperanto
est - et Estonian
eus baq eu Basque
ewe - ee Ewe
ewo - - Ewondo
fan - - Fang
fao - fo Faroese
fas per fa Persian
fat - - Fanti
fij - fj Fijian
fil - - Filipino
fin - fi Finnish
fiu - - Finno-Ugrian languages
fon - - Fon
fra fre fr French
frm - - Middle French
fro - - Old French
frr - - Northern Frisian
frs - - Eastern Frisian
fry - fy Western Frisian
ful - ff Fulah
fur - - Friulian
gaa - - Ga
gay - - Gayo
gba - - Gbaya
gem - - Germanic languages
gez - - Geez
gil - - Gilbertese
gla - gd Scottish Gaelic
gle - ga Irish
glg - gl Galician
glv - gv Manx
gmh - - Middle High German
goh - - Old High German
gon - - Gondi
gor - - Gorontalo
got - - Gothic
grb - - Grebo
grc - - Ancient Greek
grn - gn Guarani
gsw - - Swiss German
guj - gu Gujarati
gwi - - Gwich'in
hai - - Haida
hat - ht Haitian
hau - ha Hausa
haw - - Hawaiian
heb - he Hebrew
her - hz Herero
hil - - Hiligaynon
him - - Himachali languages
hin - hi Hindi
hit - - Hittite
hmn - - Hmong
hmo - ho Hiri Motu
hrv - hr Croatian
hsb - - Upper Sorbian
hun - hu Hungarian
hup - - Hupa
hye arm hy Armenian
iba - - Iban
ibo - ig Igbo
ido - io Ido
iii - ii Sichuan Yi
ijo - - Ijo languages
iku - iu Inuktitut
ile - ie Interlingue
ilo - - Iloko
ina - ia Interlingua
inc - - Indic languages
ind - id Indonesian
ine - - Indo-European languages
inh - - Ingush
ipk - ik Inupiaq
ira - - Iranian languages
iro - - Iroquoian languages
isl ice is Icelandic
ita - it Italian
jav - jv Javanese
jbo - - Lojban
jpn - ja Japanese
jpr - - Judeo-Persian
jrb - - Judeo-Arabic
kaa - - Kara-Kalpak
kab - - Kabyle
kac - - Kachin
kal - kl Kalaallisut
kam - - Kamba
kan - kn Kannada
kar - - Karen languages
kas - ks Kashmiri
kat geo ka Georgian
kau - kr Kanuri
kaw - - Kawi
kaz - kk Kazakh
kbd - - Kabardian
kha - - Khasi
khi - - Khoisan languages
khm - km Central Khmer
kho - - Khotanese
kik - ki Kikuyu
kin - rw Kinyarwanda
kir - ky Kirghiz
kmb - - Kimbundu
kok - - Konkani
kom - kv Komi
kon - kg Kongo
kor - ko Korean
kos - - Kosraean
kpe - - Kpelle
krc - - Karachay-Balkar
krl - - Karelian
kro - - Kru languages
kru - - Kurukh
kua - kj Kuanyama
kum - - Kumyk
kur - ku Kurdish
kut - - Kutenai
lad - - Ladino
lah - - Lahnda
lam - - Lamba
lao - lo Lao
lat - la Latin
lav - lv Latvian
lez - - Lezghian
lim - li Limburgan
lin - ln Lingala
lit - lt Lithuanian
lol - - Mongo
loz - - Lozi
ltz - lb Luxembourgish
lua - - Luba-Lulua
lub - lu Luba-Katanga
lug - lg Ganda
lui - - Luiseno
lun - - Lunda
luo - - Luo
lus - - Lushai
mad - - Madurese
mag - - Magahi
mah - mh Marshallese
mai - - Maithili
mak - - Makasar
mal - ml Malayalam
man - - Mandingo
map - - Austronesian languages
mar - mr Marathi
mas - - Masai
mdf - - Moksha
mdr - - Mandar
men - - Mende
mga - - Middle Irish
mic - - Mi'kmaq
min - - Minangkabau
mis - - Uncoded languages
mkd mac mk Macedonian
mkh - - Mon-Khmer languages
mlg - mg Malagasy
mlt - mt Maltese
mnc - - Manchu
mni - - Manipuri
mno - - Manobo languages
moh - - Mohawk
mon - mn Mongolian
mos - - Mossi
mri mao mi Maori
msa may ms Malay
mul - - Multiple languages
mun - - Munda languages
mus - - Creek
mwl - - Mirandese
mwr - - Marwari
mya bur my Burmese
myn - - Mayan languages
myv - - Erzya
nah - - Nahuatl languages
nai - - North American Indian languages
nap - - Neapolitan
nau - na Nauru
nav - nv Navajo
nbl - nr South Ndebele
nde - nd North Ndebele
ndo - ng Ndonga
nds - - Low German
nep - ne Nepali
new - - Nepal Bhasa
nia - - Nias
nic - - Niger-Kordofanian languages
niu - - Niuean
nld dut nl Dutch
nno - nn Norwegian Nynorsk
nob - nb Norwegian Bokmål
nog - - Nogai
non - - Old Norse
nor - no Norwegian
nqo - - N'Ko
nso - - Northern Sotho
nub - - Nubian languages
nwc - - Classical Newari
nya - ny Chichewa
nym - - Nyamwezi
nyn - - Nyankole
nyo - - Nyoro
nzi - - Nzima
oci - oc Occitan
oji - oj Ojibwa
ori - or Odia
orm - om Oromo
osa - - Osage
oss - os Ossetian
ota - - Ottoman Turkish
oto - - Otomian languages
paa - - Papuan languages
pag - - Pangasinan
pal - - Pahlavi
pam - - Pampanga
pan - pa Punjabi
pap - - Papiamento
pau - - Palauan
peo - - Old Persian
phi - - Philippine languages
phn - - Phoenician
pli - pi Pali
pol - pl Polish
pon - - Pohnpeian
por - pt Portuguese
pra - - Prakrit languages
pro - - Old Provençal
pus - ps Pushto
que - qu Quechua
raj - - Rajasthani
rap - - Rapanui
rar - - Rarotongan
roa - - Romance languages
roh - rm Romansh
rom - - Romany
ron rum ro Romanian
run - rn Rundi
rup - - Aromanian
rus - ru Russian
sad - - Sandawe
sag - sg Sango
sah - - Yakut
sai - - South American Indian
sal - - Salishan languages
sam - - Samaritan Aramaic
san - sa Sanskrit
sas - - Sasak
sat - - Santali
scn - - Sicilian
sco - - Scots
sel - - Selkup
sem - - Semitic languages
sga - - Old Irish
sgn - - Sign Languages
shn - - Shan
sid - - Sidamo
sin - si Sinhala
sio - - Siouan languages
sit - - Sino-Tibetan languages
sla - - Slavic languages
slk slo sk Slovak
slv - sl Slovenian
sma - - Southern Sami
sme - se Northern Sami
smi - - Sami languages
smj - - Lule Sami
smn - - Inari Sami
smo - sm Samoan
sms - - Skolt Sami
sna - sn Shona
snd - sd Sindhi
snk - - Soninke
sog - - Sogdian
som - so Somali
son - - Songhai languages
sot - st Southern Sotho
spa - es Spanish
sqi alb sq Albanian
srd - sc Sardinian
srn - - Sranan Tongo
srp - sr Serbian
srr - - Serer
ssa - - Nilo-Saharan languages
ssw - ss Swati
suk - - Sukuma
sun - su Sundanese
sus - - Susu
sux - - Sumerian
swa - sw Swahili
swe - sv Swedish
syc - - Classical Syriac
syr - - Syriac
tah - ty Tahitian
tai - - Tai languages
tam - ta Tamil
tat - tt Tatar
tel - te Telugu
tem - - Timne
ter - - Tereno
tet - - Tetum
tgk - tg Tajik
tgl - tl Tagalog
tha - th Thai
tig - - Tigre
tir - ti Tigrinya
tiv - - Tiv
tkl - - Tokelau
tlh - - Klingon
tli - - Tlingit
tmh - - Tamashek
tog - - Tonga
ton - to Tonga
tpi - - Tok Pisin
tsi - - Tsimshian
tsn - tn Tswana
tso - ts Tsonga
tuk - tk Turkmen
tum - - Tumbuka
tup - - Tupi languages
tur - tr Turkish
tut - - Altaic languages
tvl - - Tuvalu
twi - tw Twi
tyv - - Tuvinian
udm - - Udmurt
uga - - Ugaritic
uig - ug Uighur
ukr - uk Ukrainian
umb - - Umbundu
und - - Undetermined
urd - ur Urdu
uzb - uz Uzbek
vai - - Vai
ven - ve Venda
vie - vi Vietnamese
vol - vo Volapük
vot - - Votic
wak - - Wakashan languages
wal - - Walamo
war - - Waray
was - - Washo
wen - - Sorbian languages
wln - wa Walloon
wol - wo Wolof
xal - - Kalmyk
xho - xh Xhosa
yao - - Yao
yap - - Yapese
yid - yi Yiddish
yor - yo Yoruba
ypk - - Yupik languages
zap - - Zapotec
zbl - - Blissymbols
zen - - Zenaga
zgh - - Standard Moroccan Tamazight
zha - za Zhuang
zho chi zh Chinese
znd - - Zande languages
zul - zu Zulu
zun - - Zuni
zxx - - No linguistic content
zza - - Zaza
`
