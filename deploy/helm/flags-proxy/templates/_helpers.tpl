{{- define "flags-proxy.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "flags-proxy.fullname" -}}
{{- $name := include "flags-proxy.name" . }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "flags-proxy.selectorLabels" -}}
app.kubernetes.io/name: {{ include "flags-proxy.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "flags-proxy.labels" -}}
{{ include "flags-proxy.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{/* Pod labels: without the chart version, so that a chart upgrade alone does not replace pods. */}}
{{- define "flags-proxy.podLabels" -}}
{{- $own := merge (include "flags-proxy.selectorLabels" . | fromYaml) (dict "app.kubernetes.io/version" .Chart.AppVersion) }}
{{- toYaml (merge $own .Values.podLabels) }}
{{- end }}

{{- define "flags-proxy.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "flags-proxy.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "flags-proxy.image" -}}
{{- if .Values.image.digest }}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{/* The base path with a slash before it, or nothing. */}}
{{- define "flags-proxy.basePath" -}}
{{- with trimAll "/" .Values.proxy.basePath }}/{{ . }}{{ end }}
{{- end }}

{{/* Content of the Secret that the chart creates, as YAML; empty without secrets. */}}
{{- define "flags-proxy.secretData" -}}
{{- with .Values.secrets.apiToken }}
FLAGS_API_TOKEN: {{ kindIs "string" . | ternary (list .) . | join "," | quote }}
{{- end }}
{{- with .Values.secrets.clientKeys }}
FLAGS_PROXY_CLIENT_KEYS: {{ join "," . | quote }}
{{- end }}
{{- with .Values.secrets.serverTokens }}
EXP_SERVER_SIDE_SDK_CONFIG_TOKENS: {{ join "," . | quote }}
{{- end }}
{{- with .Values.secrets.store }}
FLAGS_STORE: {{ . | quote }}
{{- end }}
{{- end }}

{{/* Not empty if there is an access file. */}}
{{- define "flags-proxy.hasAccessFile" -}}
{{- with .Values.accessFile }}
{{- if or .keys .existingConfigMap .existingSecret }}true{{ end }}
{{- end }}
{{- end }}

{{/* Names of all Secrets, separated by spaces. */}}
{{- define "flags-proxy.secretNames" -}}
{{- $names := list }}
{{- if include "flags-proxy.secretData" . }}
{{- $names = append $names (include "flags-proxy.fullname" .) }}
{{- end }}
{{- range kindIs "string" .Values.existingSecrets | ternary (list .Values.existingSecrets) .Values.existingSecrets }}
{{- with . }}{{ $names = append $names (tpl . $) }}{{ end }}
{{- end }}
{{- join " " $names }}
{{- end }}

{{/* A number without the exponent that Helm writes for large ones; nothing for an empty string. */}}
{{- define "flags-proxy.integer" -}}
{{- if ne (toString .) "" }}{{ int64 . }}{{ end }}
{{- end }}

{{/* Names of the Services, and further names, separated by commas. */}}
{{- define "flags-proxy.allowedHosts" -}}
{{- $names := list (include "flags-proxy.fullname" .) }}
{{- if .Values.proxy.managementPort }}
{{- $names = append $names (printf "%s-management" (include "flags-proxy.fullname" . | trunc 52 | trimSuffix "-")) }}
{{- end }}
{{- $hosts := list }}
{{- range $names }}
{{- $namespaced := printf "%s.%s" . $.Release.Namespace }}
{{- $hosts = concat $hosts (list . $namespaced (printf "%s.svc" $namespaced) (printf "%s.svc.cluster.local" $namespaced)) }}
{{- end }}
{{- join "," (concat $hosts .Values.proxy.allowedHosts) }}
{{- end }}

{{/* Variables that the chart sets, without those in `env`, which take precedence. */}}
{{- define "flags-proxy.env" -}}
{{- $own := dict }}
{{- range .Values.env }}{{ $_ := set $own .name true }}{{ end }}
{{- $values := dict
  "FLAGS_URL" .Values.proxy.upstreamUrl
  "PORT" .Values.proxy.port
  "PROXY_BASE_PATH" (include "flags-proxy.basePath" .)
  "SHUTDOWN_DELAY" .Values.shutdownDelayMs
  "LOG_LEVEL" .Values.proxy.logLevel
  "JSON_LOGGER" (eq .Values.proxy.logFormat "json")
  "FLAGS_PROXY_WORKERS" .Values.proxy.workers
  "ALLOWED_HOSTS" (include "flags-proxy.allowedHosts" .)
  "TRUST_PROXY" .Values.proxy.trustProxy
  "FLAGS_STORE" .Values.proxy.store
  "FLAGS_MANAGEMENT_PORT" .Values.proxy.managementPort }}
{{- if include "flags-proxy.hasAccessFile" . }}
{{- $_ := set $values "FLAGS_ACCESS_FILE" (printf "%s/%s" .Values.accessFile.mountPath .Values.accessFile.fileName) }}
{{- end }}
{{- if .Values.tls.secretName }}
{{- $_ := set $values "FLAGS_TLS_CERT_FILE" "/etc/flags/tls/tls.crt" }}
{{- $_ := set $values "FLAGS_TLS_KEY_FILE" "/etc/flags/tls/tls.key" }}
{{- $_ := set $values "FLAGS_TLS_PORT" .Values.tls.port }}
{{- if .Values.tls.clientCaSecret }}
{{- $_ := set $values "FLAGS_TLS_CLIENT_CA_FILE" "/etc/flags/client-ca/ca.crt" }}
{{- end }}
{{- end }}
{{- if .Values.usageSpool.enabled }}
{{- $_ := set $values "FLAGS_USAGE_SPOOL" "/var/lib/flags/usage" }}
{{- $_ := set $values "FLAGS_USAGE_SPOOL_MAX_BYTES" (include "flags-proxy.integer" .Values.usageSpool.maxBytes) }}
{{- end }}
{{- if .Values.secretFiles.enabled }}
{{- $existing := ternary (list) .Values.secretFiles.keys (empty .Values.existingSecrets) }}
{{- range concat $existing (include "flags-proxy.secretData" . | fromYaml | keys) }}
{{- $_ := set $values (printf "%s_FILE" .) (printf "%s/%s" $.Values.secretFiles.mountPath .) }}
{{- end }}
{{- end }}
{{- range $name, $value := $values }}
{{- if and (ne (toString $value) "") (not (hasKey $own $name)) }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end }}
{{- if not (hasKey $own "FLAGS_INSTANCE_ID") }}
- name: FLAGS_INSTANCE_ID
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
{{- end }}
{{- with .Values.env }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The port that serves metrics and operational endpoints. */}}
{{- define "flags-proxy.managementPortName" -}}
{{- if .Values.proxy.managementPort }}management{{ else }}http{{ end }}
{{- end }}

{{/* Not empty if the port for metrics and operational endpoints serves TLS. */}}
{{- define "flags-proxy.managementHasTls" -}}
{{- if and .Values.tls.secretName (not .Values.tls.port) (not .Values.proxy.managementPort) }}true{{ end }}
{{- end }}

{{/* A probe: the given one, with a request for the path if it has no other kind of check. */}}
{{- define "flags-proxy.probe" -}}
{{- $probe := deepCopy .probe }}
{{- if not (or $probe.httpGet $probe.tcpSocket $probe.exec $probe.grpc) }}
{{- $path := printf "%s%s" (include "flags-proxy.basePath" .root) .path }}
{{- $get := dict "path" $path "port" (include "flags-proxy.managementPortName" .root) }}
{{- if include "flags-proxy.managementHasTls" .root }}{{ $_ := set $get "scheme" "HTTPS" }}{{ end }}
{{- $_ := set $probe "httpGet" $get }}
{{- end }}
{{- toYaml $probe }}
{{- end }}

{{/* Fails if required values are missing or contradict each other. */}}
{{- define "flags-proxy.validate" -}}
{{- $own := dict }}
{{- range .Values.env }}{{ $_ := set $own .name true }}{{ end }}
{{- $external := or .Values.existingSecrets .Values.existingConfigMap }}
{{- if not (or .Values.proxy.upstreamUrl $external (hasKey $own "FLAGS_URL")) }}
{{- fail "proxy.upstreamUrl is required: the URL of the upstream API, for example http://flags-admin:4242/api" }}
{{- end }}
{{- if not (or (hasPrefix "file:" .Values.proxy.upstreamUrl) .Values.secrets.apiToken $external (hasKey $own "FLAGS_API_TOKEN") (hasKey $own "FLAGS_API_TOKEN_FILE")) }}
{{- fail "The upstream token is missing: set existingSecrets to a Secret with FLAGS_API_TOKEN, or secrets.apiToken" }}
{{- end }}
{{- if not (or .Values.secrets.clientKeys $external (include "flags-proxy.hasAccessFile" .) (hasKey $own "FLAGS_ACCESS_FILE") (hasKey $own "FLAGS_PROXY_CLIENT_KEYS") (hasKey $own "FLAGS_PROXY_CLIENT_KEYS_FILE")) }}
{{- fail "Client keys are missing: set existingSecrets to a Secret with FLAGS_PROXY_CLIENT_KEYS, or set secrets.clientKeys or accessFile" }}
{{- end }}
{{- with .Values.accessFile }}
{{- if gt (len (list .keys .existingConfigMap .existingSecret | compact)) 1 }}
{{- fail "accessFile: set only one of keys, existingConfigMap and existingSecret" }}
{{- end }}
{{- end }}
{{- if and .Values.tls.clientCaSecret (not .Values.proxy.managementPort) }}
{{- fail "tls.clientCaSecret requires proxy.managementPort: probes have no client certificate" }}
{{- end }}
{{- if and (or .Values.tls.port .Values.tls.clientCaSecret) (not .Values.tls.secretName) }}
{{- fail "tls.port and tls.clientCaSecret require tls.secretName" }}
{{- end }}
{{- range $name, $value := dict "PORT" "proxy.port" "PROXY_PORT" "proxy.port" "PROXY_BASE_PATH" "proxy.basePath" "FLAGS_MANAGEMENT_PORT" "proxy.managementPort" "FLAGS_TLS_PORT" "tls.port" "FLAGS_TLS_CERT_FILE" "tls.secretName" }}
{{- if hasKey $own $name }}
{{- fail (printf "env must not contain %s, because the probes depend on it: set %s" $name $value) }}
{{- end }}
{{- end }}
{{- if and .Values.secretFiles.enabled (not (include "flags-proxy.secretNames" .)) }}
{{- fail "secretFiles.enabled requires existingSecrets or secrets" }}
{{- end }}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) }}
{{- fail "httpRoute.parentRefs is required: list the gateways for the route" }}
{{- end }}
{{- if lt (mul 1000 .Values.terminationGracePeriodSeconds) (add 5000 .Values.shutdownDelayMs) }}
{{- fail "terminationGracePeriodSeconds must be at least shutdownDelayMs / 1000 + 5: the proxy needs up to five seconds after the delay" }}
{{- end }}
{{- end }}
