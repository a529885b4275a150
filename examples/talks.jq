# Turns a spreadsheet of talks, saved as CSV, into Filmstrip's import lines. Each row comes as an
# object of texts, named by the columns:
#
#   {"Talk ID", "Title", "Speaker", "Event", "Date": "14/03/2019", "Length": "1:02:07", "Language",
#    "Level", "Tags": "physics; light", "Stream", "Poster", "Abstract"}
#
# Events become channels, tags subjects. What several rows share is said again with each of them:
# repeating a thing changes nothing.

def line(kind; ref): {format: 1, kind: kind, source: "talks", ref: ref};

# Subjects are known by their names, whichever system they come from, so that several systems can
# share them.
def subject: {source: "subjects", ref: ascii_downcase};

def present: if . == "" then null else . end;

def tags: split(";") | map(gsub("^\\s+|\\s+$"; "") | select(. != ""));

# "1:02:07" and "18:42" as seconds.
def seconds: reduce (split(":")[] | tonumber) as $part (0; . * 60 + $part);

# "14/03/2019" as "2019-03-14".
def day: split("/") | "\(.[2])-\(.[1])-\(.[0])";

def language: {"English": "eng", "French": "fra", "German": "deu"}[.] // error("unknown language: \(.)");

def ages: {"School": {min: 11, max: 18}, "University": {min: 18}}[.];

line("channel"; .Event) + {name: .Event},
(.Tags | tags[] | {format: 1, kind: "subject", name: ((.[:1] | ascii_upcase) + .[1:])} + subject),
line("video"; ."Talk ID") + {
  title: .Title,
  description: .Abstract,
  type: "INSTRUCTIONAL",
  contentCategories: ["TALKING_HEAD"],
  channel: .Event,
  subjects: (.Tags | tags | map(subject)),
  keywords: [.Speaker],
  releasedOn: (.Date | day),
  language: (.Language | language),
  ageRange: (.Level | ages),
  playback: {
    duration: (.Length | seconds),
    stream: .Stream,
    thumbnail: (.Poster | present)
  }
}
