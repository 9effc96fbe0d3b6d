{{- define "flags-admin.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "flags-admin.fullname" -}}
{{- $name := include "flags-admin.name" . }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "flags-admin.selectorLabels" -}}
app.kubernetes.io/name: {{ include "flags-admin.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "flags-admin.labels" -}}
{{ include "flags-admin.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{/* Pod labels: without the chart version, so that a chart upgrade alone does not replace pods. */}}
{{- define "flags-admin.podLabels" -}}
{{- $own := merge (include "flags-admin.selectorLabels" . | fromYaml) (dict "app.kubernetes.io/version" .Chart.AppVersion) }}
{{- toYaml (merge $own .Values.podLabels) }}
{{- end }}

{{- define "flags-admin.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "flags-admin.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "flags-admin.image" -}}
{{- if .Values.image.digest }}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{/* Content of the Secret that the chart creates, as YAML; empty without secrets. */}}
{{- define "flags-admin.secretData" -}}
{{- with .Values.secrets.databaseUrl }}
DATABASE_URL: {{ . | quote }}
{{- end }}
{{- with .Values.secrets.adminPassword }}
INIT_ADMIN_PASSWORD: {{ . | quote }}
{{- end }}
{{- with .Values.secrets.adminTokens }}
INIT_ADMIN_API_TOKENS: {{ join "," . | quote }}
{{- end }}
{{- with .Values.secrets.clientTokens }}
INIT_CLIENT_API_TOKENS: {{ join "," . | quote }}
{{- end }}
{{- with .Values.secrets.frontendTokens }}
INIT_FRONTEND_API_TOKENS: {{ join "," . | quote }}
{{- end }}
{{- end }}

{{/* Names of all Secrets, separated by spaces. */}}
{{- define "flags-admin.secretNames" -}}
{{- $names := list }}
{{- if include "flags-admin.secretData" . }}
{{- $names = append $names (include "flags-admin.fullname" .) }}
{{- end }}
{{- range kindIs "string" .Values.existingSecrets | ternary (list .Values.existingSecrets) .Values.existingSecrets }}
{{- with . }}{{ $names = append $names (tpl . $) }}{{ end }}
{{- end }}
{{- join " " $names }}
{{- end }}

{{/* Names of the Service, the hosts of the Ingress, and further names, separated by commas. */}}
{{- define "flags-admin.allowedHosts" -}}
{{- $name := include "flags-admin.fullname" . }}
{{- $namespaced := printf "%s.%s" $name .Release.Namespace }}
{{- $hosts := list $name $namespaced (printf "%s.svc" $namespaced) (printf "%s.svc.cluster.local" $namespaced) }}
{{- range .Values.ingress.enabled | ternary .Values.ingress.hosts list }}
{{- if and .host (not (hasPrefix "*" .host)) }}{{ $hosts = append $hosts .host }}{{ end }}
{{- end }}
{{- join "," (concat $hosts .Values.admin.allowedHosts) }}
{{- end }}

{{/* Variables that the chart sets, without those in `env`, which take precedence. */}}
{{- define "flags-admin.env" -}}
{{- $own := dict }}
{{- range .Values.env }}{{ $_ := set $own .name true }}{{ end }}
{{- $values := dict
  "PORT" .Values.admin.port
  "DATA_DIR" (.Values.persistence.enabled | ternary "/data" "")
  "SHUTDOWN_DELAY" .Values.shutdownDelayMs
  "LOG_LEVEL" .Values.admin.logLevel
  "JSON_LOGGER" (eq .Values.admin.logFormat "json")
  "ALLOWED_HOSTS" (include "flags-admin.allowedHosts" .)
  "TRUST_PROXY" .Values.admin.trustProxy
  "INIT_ADMIN_USER" .Values.admin.user }}
{{- if .Values.secretFiles.enabled }}
{{- $existing := ternary (list) .Values.secretFiles.keys (empty .Values.existingSecrets) }}
{{- range concat $existing (include "flags-admin.secretData" . | fromYaml | keys) }}
{{- if not (and $.Values.persistence.enabled (eq . "DATABASE_URL")) }}
{{- $_ := set $values (printf "%s_FILE" .) (printf "%s/%s" $.Values.secretFiles.mountPath .) }}
{{- end }}
{{- end }}
{{- end }}
{{- range $name, $value := $values }}
{{- if and (ne (toString $value) "") (not (hasKey $own $name)) }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end }}
{{- with .Values.env }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* A probe: the given one, with a request for a path if it has no other kind of check. */}}
{{- define "flags-admin.probe" -}}
{{- $probe := deepCopy .probe }}
{{- if not (or $probe.httpGet $probe.tcpSocket $probe.exec $probe.grpc) }}
{{- $_ := set $probe "httpGet" (dict "path" .path "port" "http") }}
{{- end }}
{{- toYaml $probe }}
{{- end }}

{{/* Fails if required values are missing or contradict each other. */}}
{{- define "flags-admin.validate" -}}
{{- $own := dict }}
{{- range .Values.env }}{{ $_ := set $own .name true }}{{ end }}
{{- if hasKey $own "PORT" }}
{{- fail "env must not contain PORT, because the probes depend on it: set admin.port" }}
{{- end }}
{{- if .Values.persistence.enabled }}
{{- if or .Values.secrets.databaseUrl (hasKey $own "DATABASE_URL") (hasKey $own "DATABASE_URL_FILE") }}
{{- fail "persistence.enabled is for the embedded database, and DATABASE_URL for PostgreSQL: set only one of them" }}
{{- end }}
{{- if gt (int .Values.replicaCount) 1 }}
{{- fail "replicaCount must be 1 with persistence.enabled: only one process can use the embedded database. Use PostgreSQL for several replicas" }}
{{- end }}
{{- else if not (or .Values.secrets.databaseUrl .Values.existingSecrets .Values.existingConfigMap (hasKey $own "DATABASE_URL") (hasKey $own "DATABASE_URL_FILE")) }}
{{- fail "The database is missing: set existingSecrets to a Secret with DATABASE_URL, or secrets.databaseUrl, or persistence.enabled for an embedded database" }}
{{- end }}
{{- if and .Values.secretFiles.enabled (not (include "flags-admin.secretNames" .)) }}
{{- fail "secretFiles.enabled requires existingSecrets or secrets" }}
{{- end }}
{{- if lt (mul 1000 .Values.terminationGracePeriodSeconds) (add 5000 .Values.shutdownDelayMs) }}
{{- fail "terminationGracePeriodSeconds must be at least shutdownDelayMs / 1000 + 5: the service needs up to five seconds after the delay" }}
{{- end }}
{{- end }}
