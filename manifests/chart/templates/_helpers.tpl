{{/* The name of most objects: that of the release where it tells what is in it. */}}
{{- define "dms-operator.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "dms-operator.selectorLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "dms-operator.labels" -}}
{{ include "dms-operator.selectorLabels" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 }}
{{- end -}}

{{- define "dms-operator.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (ternary (include "dms-operator.fullname" .) "default" .Values.serviceAccount.create) -}}
{{- end -}}

{{- define "dms-operator.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{- printf "%s@%s" .repository .digest -}}
{{- else -}}
{{- printf "%s:%s" .repository (.tag | default $.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The Lease of replicas that do the same work, as the controller itself names it. */}}
{{- define "dms-operator.leaseName" -}}
{{- if or .Values.watchNamespaces .Values.shardSelector -}}
{{- $work := printf "%s/%s" (.Values.watchNamespaces | sortAlpha | join ",") .Values.shardSelector -}}
{{- printf "dms-operator-%s" ($work | sha256sum | trunc 10) -}}
{{- else -}}
dms-operator
{{- end -}}
{{- end -}}

{{- define "dms-operator.args" -}}
- run
{{- range .Values.watchNamespaces }}
- {{ printf "--namespace=%s" . | quote }}
{{- end }}
{{- with .Values.shardSelector }}
- {{ printf "--shard-selector=%s" . | quote }}
{{- end }}
{{- if not .Values.leaderElection.enabled }}
- --leader-elect=false
{{- end }}
{{- range .Values.allowHosts }}
- {{ printf "--allow-hosts=%s" . | quote }}
{{- end }}
{{- range .Values.proxyHosts }}
- {{ printf "--proxy-hosts=%s" . | quote }}
{{- end }}
{{- if .Values.proxyFromEnvironment }}
- --proxy-from-environment
{{- end }}
{{- with .Values.logLevel }}
- {{ printf "--log-level=%s" . | quote }}
{{- end }}
{{- range .Values.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end -}}

{{/* Ports of proxies that connections may name, as far as they stand there. */}}
{{- define "dms-operator.proxyPorts" -}}
{{- $ports := list -}}
{{- range .Values.proxyHosts -}}
{{- with regexFind ":[0-9]+$" . -}}
{{- $ports = append $ports (trimPrefix ":" . | int) -}}
{{- end -}}
{{- end -}}
{{- without ($ports | uniq) 80 443 | toJson -}}
{{- end -}}

{{- define "dms-operator.topologySpreadConstraints" -}}
{{- $ours := include "dms-operator.selectorLabels" . | fromYaml -}}
{{- $ours := merge (dict "app.kubernetes.io/component" "controller") $ours -}}
{{- range .Values.topologySpreadConstraints }}
- {{- toYaml (hasKey . "labelSelector" | ternary . (merge (dict "labelSelector" (dict "matchLabels" $ours)) .)) | nindent 2 }}
{{- end }}
{{- end -}}
