#!/bin/sh
# Generates the demo streams that the binary contains: internal/media/demo/NAME/ with an HLS master playlist, its
# variants, their segments, and still frames for posters and previews.
#
# It requires ffmpeg with libx264 and drawtext, and the DejaVu Sans Mono font (on Debian: apt-get install ffmpeg
# fonts-dejavu-core). FONT names another font file.
#
# With one thread and bit-exact flags, the same ffmpeg yields the same files.
set -eu

FONT=${FONT:-/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf}
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../../internal/media/demo}

command -v ffmpeg >/dev/null || {
	echo "ffmpeg is missing: apt-get install ffmpeg" >&2
	exit 1
}
[ -r "$FONT" ] || {
	echo "the font $FONT is missing: apt-get install fonts-dejavu-core, or set FONT" >&2
	exit 1
}

seconds="drawtext=fontfile=$FONT:fontsize=28:fontcolor=white:box=1:boxcolor=black@0.6:boxborderw=6"
seconds="$seconds:x=12:y=h-th-16:text='%{eif\\:t\\:d\\:2} s'"

# variant NAME SOURCE SECONDS TONE SIZE VIDEO-KBIT: one rendition, in segments of six seconds.
variant() {
	height=${5#*x}
	ffmpeg -hide_banner -loglevel error -nostdin -y -threads 1 \
		-f lavfi -i "$2" -f lavfi -i "sine=frequency=$4:sample_rate=32000" -t "$3" \
		-filter_complex "[0:v]scale=320:180,setsar=1,$seconds,scale=$5:flags=lanczos,format=yuv420p[v];[1:a]volume=0.15[a]" \
		-map '[v]' -map '[a]' -map_metadata -1 -fflags +bitexact -flags:v +bitexact -flags:a +bitexact \
		-c:v libx264 -profile:v baseline -level 3.0 -preset veryslow -threads 1 -r 15 -g 90 -keyint_min 90 -sc_threshold 0 \
		-b:v "$6k" -maxrate "$6k" -bufsize "$(($6 * 2))k" \
		-c:a aac -b:a 24k -ac 1 \
		-f hls -hls_time 6 -hls_playlist_type vod -hls_flags independent_segments \
		-hls_segment_filename "$out/$1/${height}p-%02d.ts" "$out/$1/${height}p.m3u8"
}

# stills NAME SOURCE SECONDS: ten frames, from the middle of each tenth.
stills() {
	ffmpeg -hide_banner -loglevel error -nostdin -y -threads 1 -f lavfi -i "$2" -t "$3" \
		-vf "scale=320:180,setsar=1,$seconds,select='gte(t\,$3/20+selected_n*$3/10)'" -fps_mode passthrough \
		-map_metadata -1 -fflags +bitexact -flags:v +bitexact -frames:v 10 -q:v 6 -start_number 0 "$out/$1/frame-%02d.jpg"
}

# master NAME HEIGHT:WIDTH:BANDWIDTH…: the playlist of the renditions, the best one first.
master() {
	name=$1
	shift
	{
		printf '#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-INDEPENDENT-SEGMENTS\n'
		for rendition; do
			height=${rendition%%:*}
			rest=${rendition#*:}
			printf '#EXT-X-STREAM-INF:BANDWIDTH=%s,RESOLUTION=%sx%s,CODECS="avc1.42c01e,mp4a.40.2"\n%sp.m3u8\n' \
				"${rest#*:}" "${rest%%:*}" "$height" "$height"
		done
	} >"$out/$name/playlist.m3u8"
}

for name in pattern fractal bars; do
	rm -rf "${out:?}/$name"
	mkdir -p "$out/$name"
done

pattern="testsrc2=size=320x180:rate=15"
variant pattern "$pattern" 30 440 320x180 70
variant pattern "$pattern" 30 440 160x90 24
stills pattern "$pattern" 30
master pattern 180:320:160000 90:160:90000

fractal="mandelbrot=size=320x180:rate=15:start_scale=2:end_scale=0.02:end_pts=400:maxiter=400"
variant fractal "$fractal" 24 330 320x180 75
stills fractal "$fractal" 24
master fractal 180:320:170000

bars="smptebars=size=320x180:rate=15"
variant bars "$bars" 18 550 320x180 40
stills bars "$bars" 18
master bars 180:320:80000

du -sh "$out"
