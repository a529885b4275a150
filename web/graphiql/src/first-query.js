// The initial query works for every customer that may see videos.
export const firstQuery = `# Ctrl-Space completes, Ctrl-Enter runs, the book on the left explains the schema.
query Search($text: String = "energy") {
  searchVideos(query: $text, size: 10) {
    total
    videos {
      id
      title
      createdBy
      releasedOn
      playback {
        duration
      }
      subjects {
        name
      }
      links
    }
    facets {
      subjects {
        name
        hits
      }
      videoTypes {
        key
        hits
      }
    }
  }
}
`;
