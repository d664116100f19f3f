// Validates objects against the JSON schemas of Kubernetes and of the custom resources. Unknown fields are faults too.
const modules = new URL("./node_modules/", import.meta.url);
const core = "kubernetes-models/_schemas/IoK8sApi";
const gateway = "@kubernetes-models/gateway-api/_schemas/IoK8sSigsGatewayApiApisV1";

const files = {
  "v1 ConfigMap": `${core}CoreV1ConfigMap`,
  "v1 Namespace": `${core}CoreV1Namespace`,
  "v1 Secret": `${core}CoreV1Secret`,
  "v1 Service": `${core}CoreV1Service`,
  "v1 ServiceAccount": `${core}CoreV1ServiceAccount`,
  "apps/v1 Deployment": `${core}AppsV1Deployment`,
  "apps/v1 StatefulSet": `${core}AppsV1StatefulSet`,
  "autoscaling/v2 HorizontalPodAutoscaler": `${core}AutoscalingV2HorizontalPodAutoscaler`,
  "batch/v1 Job": `${core}BatchV1Job`,
  "networking.k8s.io/v1 NetworkPolicy": `${core}NetworkingV1NetworkPolicy`,
  "policy/v1 PodDisruptionBudget": `${core}PolicyV1PodDisruptionBudget`,
  "gateway.networking.k8s.io/v1 Gateway": `${gateway}Gateway`,
  "gateway.networking.k8s.io/v1 HTTPRoute": `${gateway}HTTPRoute`,
  "cert-manager.io/v1 Certificate":
    "@kubernetes-models/cert-manager/_schemas/ComGithubCertManagerCertManagerPkgApisCertmanagerV1Certificate",
  "monitoring.coreos.com/v1 ServiceMonitor":
    "@kubernetes-models/prometheus-operator/_schemas/ComGithubPrometheusOperatorPrometheusOperatorPkgApisMonitoringV1ServiceMonitor",
};

const validators = new Map();
for (const [kind, file] of Object.entries(files))
  validators.set(kind, (await import(new URL(`${file}.js`, modules))).validate);

// No npm package has a schema of Envoy Gateway's resources, so the fields of this resource are listed here.
const shapeOfEnvoyProxy = {
  apiVersion: true, kind: true, metadata: { name: true, namespace: true },
  spec: {
    telemetry: {
      tracing: { samplingRate: true, provider: { type: true, backendRefs: [{ name: true, namespace: true, port: true }] } },
    },
  },
};

function unlike(value, shape, path) {
  if (shape === true) return value !== null && typeof value === "object" ? [`${path}: must be a plain value`] : [];
  if (Array.isArray(shape))
    return Array.isArray(value) ? value.flatMap((item, i) => unlike(item, shape[0], `${path}/${i}`)) : [`${path}: must be a list`];
  if (value === null || typeof value !== "object" || Array.isArray(value)) return [`${path}: must be an object`];
  return Object.keys(value).flatMap((key) =>
    key in shape ? unlike(value[key], shape[key], `${path}/${key}`) : [`${path}/${key}: unknown field`]);
}

/**
 * A proxy of the object, and a function that yields the fields that were not read. A validator reads every field of its schema. So a
 * field that was not read is not in the schema.
 */
function watched(root) {
  const seen = new Map(); // target -> { proxy, read, path }
  const watch = (target, path) => {
    if (seen.has(target)) return seen.get(target).proxy;
    const read = new Set();
    const proxy = new Proxy(target, {
      get(object, key) {
        const value = object[key];
        if (typeof key === "symbol" || !Object.hasOwn(object, key)) return value;
        read.add(key);
        return value !== null && typeof value === "object" ? watch(value, `${path}/${key}`) : value;
      },
    });
    seen.set(target, { proxy, read, path });
    return proxy;
  };
  const proxy = watch(root, "");
  const unread = () =>
    [...seen].flatMap(([target, { read, path }]) =>
      Object.keys(target).filter((key) => !read.has(key)).map((key) => `${path}/${key}`));
  return { proxy, unread };
}

/** Validates the object against its schema and yields the faults. */
export function schemaFaults(object) {
  const kind = `${object.apiVersion} ${object.kind}`;
  if (kind === "gateway.envoyproxy.io/v1alpha1 EnvoyProxy") return unlike(object, shapeOfEnvoyProxy, "");
  const validate = validators.get(kind);
  if (validate === undefined) return [`there is no schema of ${kind}`];
  // Validates a copy, because an object with a YAML anchor is the same object at several paths.
  const { proxy, unread } = watched(JSON.parse(JSON.stringify(object)));
  if (!validate(proxy)) return validate.errors.map((e) => `${e.instancePath}: ${e.keyword} ${JSON.stringify(e.params)}`);
  return unread().map((path) => `${path}: unknown field`);
}
