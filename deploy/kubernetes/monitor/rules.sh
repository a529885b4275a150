#!/bin/sh
# Prints the rules of ../../prometheus as an object of the Prometheus operator:
#
#	deploy/kubernetes/monitor/rules.sh | kubectl apply -f -
#
# NOT RUN: no cluster was available. deploy/README.md lists what was checked.
set -eu
cat <<'END'
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: filmstrip
  namespace: filmstrip
  labels:
    app.kubernetes.io/name: filmstrip
spec:
END
sed 's/^./  &/' "$(dirname "$0")/../../prometheus/filmstrip.rules.yml"
