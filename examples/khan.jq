# Turns the Khan Academy's topic data of 2013, one video a line, into Filmstrip's import lines.
#
#   {"slug", "youtubeId", "title", "description", "durationSeconds", "keywords": [],
#    "topicPath": ["Math", "Algebra", "Linear equations"], "hls", "poster"}
#
# The first step of a topic path becomes a discipline, the second a subject, the others topics.

def line(kind; ref): {format: 1, kind: kind, source: "khan", ref: ref};

# Subjects are known by their names, whichever system they come from, so that several systems can
# share them.
def subject: {source: "subjects", ref: ascii_downcase};

# A discipline lists its subjects, and no single video knows them all.
def disciplines: [
  {name: "Math", code: "math", subjects: [
    "Algebra", "Applied Math", "Arithmetic and Pre-Algebra", "Brain Teasers", "Calculus",
    "Differential Equations", "Geometry", "Linear Algebra", "Probability and statistics",
    "Trigonometry and precalculus", "Vi Hart"]},
  {name: "Science & Economics", code: "science-and-economics", subjects: [
    "Biology", "Chemistry", "Computer Science", "Cosmology and Astronomy",
    "Finance and capital markets", "Healthcare and Medicine", "LeBron Asks", "MIT+K12",
    "Macroeconomics", "Microeconomics", "Organic Chemistry", "Physics", "Projects"]},
  {name: "Humanities", code: "humanities", subjects: ["American Civics", "Art History", "History"]},
  {name: "Test Prep", code: "test-prep", subjects: [
    "CAHSEE", "California Standards Test", "Competition Math", "GMAT", "IIT JEE", "SAT Math",
    "Singapore Math"]}];

# What all videos share comes with the first line.
def shared:
  line("channel"; "khan-academy") + {
    name: "Khan Academy",
    language: "eng",
    legalRestriction: "Creative Commons BY-NC-SA"
  },
  (disciplines[]
    | (.subjects[] | {format: 1, kind: "subject", name: .} + subject),
      line("discipline"; .code) + (.subjects |= map(subject)));

# Topics of one name stand in several places, so a topic is known by its whole path.
def topics:
  .topicPath as $path
  | range(2; $path | length)
  | {ref: ($path[:. + 1] | join(" / ")), name: $path[.]};

def clean: map(gsub("^\\s+|\\s+$"; "") | .[:200] | select(. != "")) | unique | .[:200];

# Nine videos have no stream of their own.
def playback:
  {id: .youtubeId, duration: .durationSeconds, thumbnail: .poster}
  + if .hls then {provider: "HLS", stream: .hls} else {provider: "YOUTUBE"} end;

def video:
  line("video"; .slug) + {
    title,
    description,
    type: "INSTRUCTIONAL",
    channel: "khan-academy",
    subjects: (.topicPath[1:2] | map(subject)),
    topics: [topics.ref],
    keywords: (.keywords | clean),
    language: "eng",
    # The data do not say when a video came out. They were shipped in 2013.
    releasedOn: "2013-01-01",
    playback: playback
  };

if $line == 1 then shared else empty end,
(topics | line("topic"; .ref) + {name}),
video
