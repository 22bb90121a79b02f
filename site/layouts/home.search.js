{{- $pages := slice -}}
{{- range site.RegularPages.ByWeight -}}
{{- $headings := slice -}}
{{- range .Fragments.HeadingsMap }}{{ $headings = $headings | append (dict "id" .ID "title" (.Title | plainify | htmlUnescape)) }}{{ end -}}
{{- $pages = $pages | append (dict "title" .Title "group" .Params.group "url" .RelPermalink "headings" $headings "text" (.Plain | htmlUnescape)) -}}
{{- end -}}
searchIndex = {{ $pages | jsonify | safeJS }};
