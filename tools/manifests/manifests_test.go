//go:build system

// Package manifests checks the files in deploy/kubernetes: kustomize builds them, each object decodes strictly into the
// Go types of Kubernetes and of the Prometheus operator, and what one object names in another one exists.
package manifests

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

const folder = "../../deploy/kubernetes"

// decoder refuses unknown kinds, unknown fields and repeated fields.
var decoder = func() runtime.Decoder {
	scheme := runtime.NewScheme()
	types := runtime.NewSchemeBuilder(
		apps.AddToScheme, autoscaling.AddToScheme, batch.AddToScheme, core.AddToScheme, monitoring.AddToScheme, networking.AddToScheme, policy.AddToScheme,
	)
	if err := types.AddToScheme(scheme); err != nil {
		panic(err)
	}
	return serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
}()

// decode decodes the YAML of one object.
func decode(yaml []byte) (runtime.Object, error) {
	object, _, err := decoder.Decode(yaml, nil, nil)
	return object, err
}

// kustomizations returns the folders that hold a kustomization.
func kustomizations(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*", "kustomization.yaml"))
	if err != nil || len(files) < 5 {
		t.Fatalf("%s has the kustomizations %q, %v", folder, files, err)
	}
	for n, file := range files {
		files[n] = filepath.Dir(file)
	}
	return files
}

// build returns the objects of a kustomization.
func build(t *testing.T, path string) (objects []runtime.Object) {
	t.Helper()
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), path)
	if err != nil {
		t.Fatal(err)
	}
	for _, resource := range built.Resources() {
		yaml, err := resource.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		object, err := decode(yaml)
		if err != nil {
			t.Errorf("%s: %s: %v", path, resource.CurId(), err)
			continue
		}
		objects = append(objects, object)
	}
	return objects
}

// TestKustomizationsDecodeStrictly checks that each kustomization builds and that no object has an unknown field.
func TestKustomizationsDecodeStrictly(t *testing.T) {
	for _, path := range kustomizations(t) {
		if objects := build(t, path); len(objects) == 0 {
			t.Errorf("%s builds no objects", path)
		}
	}
	secret, err := os.ReadFile(filepath.Join(folder, "settings", "secret.example.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := decode(secret); err != nil {
		t.Error(err)
	}
}

// TestEveryFileIsChecked checks that each manifest belongs to a kustomization, apart from the example of a secret.
func TestEveryFileIsChecked(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(folder, "*", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		if name == "kustomization.yaml" || name == "secret.example.yaml" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(filepath.Dir(file), "kustomization.yaml"))
		if err != nil || !strings.Contains(string(text), "\n  - "+name+"\n") {
			t.Errorf("no kustomization has the resource %s (%v)", file, err)
		}
	}
}

// TestMistakesAreFound checks that the decoder refuses mistakes that a lenient one ignores.
func TestMistakesAreFound(t *testing.T) {
	for name, mistake := range map[string]struct{ file, old, new, want string }{
		"field of a pod":            {"serve/deployment.yaml", "enableServiceLinks", "enableServiceLink", "unknown field"},
		"field of the autoscaler":   {"serve/autoscaling.yaml", "maxReplicas: 8", "maximum: 8", "unknown field"},
		"field of a ServiceMonitor": {"monitor/servicemonitor.yaml", "jobLabel", "jobName", "unknown field"},
		"field of a CronJob":        {"backup/cronjob.yaml", "timeZone", "timezone", "unknown field"},
		"type":                      {"serve/disruption.yaml", "policy/v1", "policy/v2", "no kind"},
		"repeated field":            {"serve/service.yaml", "  type: ClusterIP\n", "  type: ClusterIP\n  type: NodePort\n", "already set"},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(folder, mistake.file))
			if err != nil {
				t.Fatal(err)
			}
			changed := bytes.Replace(text, []byte(mistake.old), []byte(mistake.new), 1)
			if bytes.Equal(text, changed) {
				t.Fatalf("%s does not contain %q", mistake.file, mistake.old)
			}
			if _, err := decode(changed); err == nil || !strings.Contains(err.Error(), mistake.want) {
				t.Errorf("it decodes with the error %v, want %q", err, mistake.want)
			}
		})
	}
}

// TestRulesForTheOperator checks that rules.sh prints all rules as an object of the Prometheus operator.
func TestRulesForTheOperator(t *testing.T) {
	yaml, err := exec.Command(filepath.Join(folder, "monitor", "rules.sh")).Output()
	if err != nil {
		t.Fatal(err)
	}
	object, err := decode(yaml)
	if err != nil {
		t.Fatal(err)
	}
	rules, isRule := object.(*monitoring.PrometheusRule)
	if !isRule {
		t.Fatalf("it prints a %T", object)
	}
	var alerts, records int
	for _, group := range rules.Spec.Groups {
		for _, rule := range group.Rules {
			if rule.Expr.String() == "" {
				t.Errorf("the rule %s%s has no expression", rule.Alert, rule.Record)
			}
			if rule.Alert != "" {
				alerts++
			} else {
				records++
			}
		}
	}
	source, err := os.ReadFile("../../deploy/prometheus/filmstrip.rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	if want := bytes.Count(source, []byte("- alert: ")); alerts != want || alerts == 0 {
		t.Errorf("it has %d alerts of %d", alerts, want)
	}
	if want := bytes.Count(source, []byte("- record: ")); records != want || records == 0 {
		t.Errorf("it has %d recording rules of %d", records, want)
	}
}

// one returns the only object of its type.
func one[Object runtime.Object](t *testing.T, objects []runtime.Object) (found Object) {
	t.Helper()
	count := 0
	for _, object := range objects {
		if match, is := object.(Object); is {
			found = match
			count++
		}
	}
	if count != 1 {
		t.Fatalf("there are %d objects of the type %T", count, found)
	}
	return found
}

// TestObjectsFitTogether checks the names by which objects refer to one another. A wrong name is no error in Kubernetes:
// the Service has no endpoints then, or the autoscaler does nothing.
func TestObjectsFitTogether(t *testing.T) {
	var (
		objects    = build(t, filepath.Join(folder, "serve"))
		deployment = one[*apps.Deployment](t, objects)
		service    = one[*core.Service](t, objects)
		autoscaler = one[*autoscaling.HorizontalPodAutoscaler](t, objects)
		disruption = one[*policy.PodDisruptionBudget](t, objects)
		ingress    = one[*networking.Ingress](t, objects)
		network    = one[*networking.NetworkPolicy](t, objects)
		monitor    = one[*monitoring.ServiceMonitor](t, build(t, filepath.Join(folder, "monitor")))
		pod        = labels.Set(deployment.Spec.Template.Labels)
		container  = deployment.Spec.Template.Spec.Containers[0]
	)
	for name, selector := range map[string]map[string]string{
		"Deployment": deployment.Spec.Selector.MatchLabels, "Service": service.Spec.Selector,
		"PodDisruptionBudget": disruption.Spec.Selector.MatchLabels, "NetworkPolicy": network.Spec.PodSelector.MatchLabels,
	} {
		if len(selector) == 0 || !labels.SelectorFromSet(selector).Matches(pod) {
			t.Errorf("the %s selects %v, and the pods have %v", name, selector, pod)
		}
	}

	ports := map[string]int32{} // of the Service, with the ports of the container
	for _, port := range service.Spec.Ports {
		found := slices.IndexFunc(container.Ports, func(of core.ContainerPort) bool { return of.Name == port.TargetPort.String() })
		if found < 0 {
			t.Fatalf("the container has no port %s", port.TargetPort.String())
		}
		ports[port.Name] = container.Ports[found].ContainerPort
	}
	if name := ingress.Spec.Rules[0].HTTP.Paths[0].Backend.Service; name.Name != service.Name || ports[name.Port.Name] != 8080 {
		t.Errorf("the Ingress routes to the port %s of %s", name.Port.Name, name.Name)
	}
	endpoint := monitor.Spec.Endpoints[0]
	if !strings.HasSuffix(settings(t, objects)["FILMSTRIP_METRICS_ADDR"], fmt.Sprintf(":%d", ports[endpoint.Port])) {
		t.Errorf("the ServiceMonitor reads the port %s, of %v", endpoint.Port, ports)
	}
	if !labels.SelectorFromSet(monitor.Spec.Selector.MatchLabels).Matches(labels.Set(service.Labels)) {
		t.Errorf("the ServiceMonitor selects %v, and the Service has %v", monitor.Spec.Selector.MatchLabels, service.Labels)
	}
	if job := service.Labels[monitor.Spec.JobLabel]; job != "filmstrip" {
		t.Errorf("the job is named %q", job)
	}
	if monitor.Namespace != service.Namespace {
		t.Errorf("the ServiceMonitor is in %s, the Service in %s", monitor.Namespace, service.Namespace)
	}

	if target := autoscaler.Spec.ScaleTargetRef; target.Kind != "Deployment" || target.Name != deployment.Name || target.APIVersion != "apps/v1" {
		t.Errorf("the autoscaler scales %v", target)
	}
	if deployment.Spec.Replicas != nil {
		t.Error("each apply of the Deployment would set its replicas, against the autoscaler")
	}
	if container.Resources.Requests.Cpu().IsZero() {
		t.Error("the autoscaler measures a share of the requested processor time, and the Deployment requests none")
	}
}

// settings returns the ConfigMap that the processes read.
func settings(t *testing.T, objects []runtime.Object) map[string]string {
	t.Helper()
	return one[*core.ConfigMap](t, objects).Data
}

// TestPods checks what all pods have in common: the namespace enforces the restricted policy, and the secret has the
// keys that are mounted.
func TestPods(t *testing.T) {
	yaml, err := os.ReadFile(filepath.Join(folder, "settings", "secret.example.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	example, err := decode(yaml)
	if err != nil {
		t.Fatal(err)
	}
	secret := example.(*core.Secret)
	var pods int
	for _, path := range kustomizations(t) {
		for _, object := range build(t, path) {
			var pod core.PodSpec
			switch object := object.(type) {
			case *apps.Deployment:
				pod = object.Spec.Template.Spec
			case *batch.Job:
				pod = object.Spec.Template.Spec
			case *batch.CronJob:
				pod = object.Spec.JobTemplate.Spec.Template.Spec
			case *core.ConfigMap:
				checkFiles(t, object, secret)
				continue
			default:
				continue
			}
			pods++
			checkPod(t, path, pod, secret)
		}
	}
	if pods != 3 {
		t.Errorf("%d pods were checked, want those of serve, migrate and backup", pods)
	}
}

// TestRestoreListOutlivesPods checks that the processes and the commands of all pods write the restore list to a volume that
// pods on several nodes can mount.
func TestRestoreListOutlivesPods(t *testing.T) {
	for _, path := range []string{"serve", "migrate"} {
		objects := build(t, filepath.Join(folder, path))
		var pod core.PodSpec
		if path == "serve" {
			pod = one[*apps.Deployment](t, objects).Spec.Template.Spec
		} else {
			pod = one[*batch.Job](t, objects).Spec.Template.Spec
		}
		claim, list := one[*core.PersistentVolumeClaim](t, objects), settings(t, objects)["FILMSTRIP_RESTORE_LIST"]
		if !slices.Equal(claim.Spec.AccessModes, []core.PersistentVolumeAccessMode{core.ReadWriteMany}) {
			t.Errorf("%s: the claim has the modes %v", path, claim.Spec.AccessModes)
		}
		kept := slices.ContainsFunc(pod.Containers[0].VolumeMounts, func(mount core.VolumeMount) bool {
			return mount.MountPath == filepath.Dir(list) && slices.ContainsFunc(pod.Volumes, func(volume core.Volume) bool {
				return volume.Name == mount.Name && volume.PersistentVolumeClaim != nil && volume.PersistentVolumeClaim.ClaimName == claim.Name
			})
		})
		if !kept {
			t.Errorf("%s: the restore list %q is not on the claim %s", path, list, claim.Name)
		}
	}
}

// checkPod checks the restricted policy (https://kubernetes.io/docs/concepts/security/pod-security-standards/) and the
// volumes.
func checkPod(t *testing.T, path string, pod core.PodSpec, secret *core.Secret) {
	t.Helper()
	if of := pod.SecurityContext; of.RunAsNonRoot == nil || !*of.RunAsNonRoot || of.SeccompProfile.Type != core.SeccompProfileTypeRuntimeDefault {
		t.Errorf("%s: the policy refuses the pod", path)
	}
	volumes := map[string]core.Volume{}
	for _, volume := range pod.Volumes {
		volumes[volume.Name] = volume
		if volume.Secret == nil {
			continue
		}
		if volume.Secret.SecretName != secret.Name {
			t.Errorf("%s mounts the secret %s", path, volume.Secret.SecretName)
		}
		for _, item := range volume.Secret.Items {
			if secret.StringData[item.Key] == "" {
				t.Errorf("%s mounts %s, which the secret lacks", path, item.Key)
			}
		}
	}
	for _, container := range pod.Containers {
		of := container.SecurityContext
		if of.AllowPrivilegeEscalation == nil || *of.AllowPrivilegeEscalation || !slices.Equal(of.Capabilities.Drop, []core.Capability{"ALL"}) {
			t.Errorf("%s: the policy refuses the container %s", path, container.Name)
		}
		if container.Resources.Limits.Memory().IsZero() {
			t.Errorf("%s: the container %s has no limit of memory", path, container.Name)
		}
		for _, mount := range container.VolumeMounts {
			if _, exists := volumes[mount.Name]; !exists {
				t.Errorf("%s mounts %s, which is no volume", path, mount.Name)
			}
		}
	}
}

// checkFiles checks that the settings which name files name keys of the secret, and that each is a setting.
func checkFiles(t *testing.T, config *core.ConfigMap, secret *core.Secret) {
	t.Helper()
	documented, err := os.ReadFile("../../docs/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(config.Data)) {
		setting, isFile := strings.CutSuffix(name, "_FILE")
		if isFile && secret.StringData[filepath.Base(config.Data[name])] == "" {
			t.Errorf("%s is %s, which the secret lacks", name, config.Data[name])
		}
		variable, isSetting := strings.CutPrefix(setting, "FILMSTRIP_")
		flag := "`--" + strings.ReplaceAll(strings.ToLower(variable), "_", "-") + "`"
		if isSetting && !bytes.Contains(documented, []byte(flag)) {
			t.Errorf("%s is no setting: docs/settings.md has no %s", name, flag)
		}
	}
}
