// Rules for the consistency of an overlay's objects. Each rule yields the faults that it finds.
import { containersOf, podOf } from "./pod_security.mjs";

const drainSeconds = 25; // service::Settings::drain_timeout
const drainTail = 5; // seconds for workers to reach a safe point and for the operations port to close

export const of = (objects, kind) => objects.filter((object) => object.kind === kind);
export const named = (objects, kind, name) => of(objects, kind).find((object) => object.metadata.name === name);

const labelsOf = (workload) => podOf(workload)?.metadata?.labels ?? {};
const selects = (selector, labels) => Object.entries(selector ?? {}).every(([key, value]) => labels[key] === value);
const workloads = (objects) => objects.filter((object) => podOf(object) !== undefined);
/** The Deployments of services. */
export const services = (objects) => of(objects, "Deployment");
const isPrivate = (cidr) => /^(10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./.test(cidr);
const exceptions = ["10.0.0.0/8", "100.64.0.0/10", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"];

const quantity = /^\d+(\.\d+)?(m|k|Ki|M|Mi|G|Gi)?$/;

function resources(objects) {
  return workloads(objects).flatMap((workload) => containersOf(podOf(workload)).flatMap((container) =>
    ["requests", "limits"].flatMap((kind) => ["cpu", "memory"].flatMap((what) =>
      quantity.test(String(container.resources?.[kind]?.[what] ?? "")) ? [] :
        [`${workload.metadata.name}/${container.name} has no ${what} in its ${kind}`]))));
}

function probes(objects) {
  const wanted = { startupProbe: "/livez", livenessProbe: "/livez", readinessProbe: "/readyz" };
  return services(objects).flatMap((deployment) => Object.entries(wanted).flatMap(([probe, path]) => {
    const get = podOf(deployment).spec.containers[0][probe]?.httpGet;
    return get?.path === path && get?.port === "ops" ? [] : [`${deployment.metadata.name} has no ${probe} for ${path} on port ops`];
  }));
}

function stopping(objects) {
  return services(objects).flatMap((deployment) => {
    const { spec } = podOf(deployment);
    const pause = spec.containers[0].lifecycle?.preStop?.sleep?.seconds ?? 0;
    return [
      ...(pause >= 5 ? [] : [`${deployment.metadata.name} needs a preStop sleep of at least 5 s`]),
      ...((spec.terminationGracePeriodSeconds ?? 30) >= pause + drainSeconds + drainTail ? [] :
        [`${deployment.metadata.name}: terminationGracePeriodSeconds is shorter than the shutdown`]),
    ];
  });
}

function rollout(objects) {
  return services(objects).flatMap(({ metadata: { name }, spec }) => [
    ...(spec.replicas === undefined ? [] : [`${name} sets replicas; remove them, the HorizontalPodAutoscaler sets the number`]),
    ...(spec.strategy?.rollingUpdate?.maxUnavailable === 0 ? [] : [`${name} can lose replicas during a roll-out: set maxUnavailable to 0`]),
    ...(["topology.kubernetes.io/zone", "kubernetes.io/hostname"].every((key) =>
      (spec.template.spec.topologySpreadConstraints ?? []).some((spread) =>
        spread.topologyKey === key && selects(spread.labelSelector.matchLabels, spec.template.metadata.labels)))
      ? [] : [`${name} is not spread over zones and nodes`]),
  ]);
}

function companions(objects) {
  return services(objects).flatMap((deployment) => {
    const { name } = deployment.metadata;
    const matching = (kind, selector) => of(objects, kind).filter((object) => selects(selector(object), labelsOf(deployment)));
    const hpa = of(objects, "HorizontalPodAutoscaler").filter(({ spec: { scaleTargetRef: target } }) =>
      target.kind === "Deployment" && target.name === name && target.apiVersion === "apps/v1");
    const migration = of(objects, "Job").filter((job) => job.metadata.labels["app.kubernetes.io/name"] === name);
    const first = podOf(deployment).spec.initContainers?.[0];
    const image = podOf(deployment).spec.containers[0].image;
    return [
      ...(matching("Service", (o) => o.spec.selector).length === 1 ? [] : [`${name} needs exactly one Service`]),
      ...(matching("PodDisruptionBudget", (o) => o.spec.selector.matchLabels).length === 1 ? [] : [`${name} has no PodDisruptionBudget`]),
      ...(hpa.length === 1 && hpa[0].spec.minReplicas <= hpa[0].spec.maxReplicas ? [] : [`${name} has no HorizontalPodAutoscaler`]),
      ...(named(objects, "ServiceAccount", podOf(deployment).spec.serviceAccountName) ? [] : [`${name} has no ServiceAccount`]),
      ...(migration.length === 1 && podOf(migration[0]).spec.containers[0].args?.[0] === "migrate" ? [] : [`${name} has no migration Job`]),
      ...(first?.args?.[0] === "await-schema" ? [] : [`${name} does not wait for the schema`]),
      ...([first?.image, migration[0] && podOf(migration[0]).spec.containers[0].image].every((other) => other === image)
        ? [] : [`${name}: the migration Job, the init container and the service have different images`]),
    ];
  });
}

function images(objects) {
  return workloads(objects).flatMap((workload) => containersOf(podOf(workload)).flatMap(({ image }) =>
    /:[\w][\w.-]*$|@sha256:[0-9a-f]{64}$/.test(image) && !image.endsWith(":latest") ? [] :
      [`${workload.metadata.name}: ${image} has no version`]));
}

function tokens(objects) {
  return workloads(objects).flatMap((workload) => {
    const { spec } = podOf(workload);
    return [
      ...(spec.automountServiceAccountToken === false ? [] : [`${workload.metadata.name} mounts a service account token`]),
      ...(spec.enableServiceLinks === false ? [] : [`${workload.metadata.name} has service links, whose variables are read as settings`]),
    ];
  });
}

function confinement(objects) {
  return workloads(objects).flatMap((workload) => containersOf(podOf(workload)).flatMap((container) =>
    container.securityContext?.readOnlyRootFilesystem === true ? [] :
      [`${workload.metadata.name}/${container.name} has a writable root`]));
}

function selectors(objects) {
  return [...of(objects, "Service"), ...of(objects, "PodDisruptionBudget"), ...services(objects)].flatMap((object) => {
    const selector = object.spec.selector.matchLabels ?? object.spec.selector;
    const found = workloads(objects).filter((workload) => selects(selector, labelsOf(workload)));
    return found.length === 1 && found[0].kind !== "Job" ? [] :
      [`${object.kind} ${object.metadata.name} selects ${found.map((w) => `${w.kind} ${w.metadata.name}`).join(", ") || "nothing"}`];
  });
}

function references(objects, secrets) {
  const missing = (configMap, secret) => [
    ...(configMap?.name && !configMap.optional && !named(objects, "ConfigMap", configMap.name) ? [`there is no ConfigMap ${configMap.name}`] : []),
    ...(secret?.name && !secret.optional && !secrets.has(secret.name) ? [`there is no Secret ${secret.name}`] : []),
  ];
  return workloads(objects).flatMap((workload) => [
    ...containersOf(podOf(workload)).flatMap((container) =>
      (container.envFrom ?? []).flatMap(({ configMapRef, secretRef }) => missing(configMapRef, secretRef))),
    ...(podOf(workload).spec.volumes ?? []).flatMap(({ configMap, secret }) => missing(configMap, secret && { ...secret, name: secret.secretName })),
  ]);
}

/** Checks that every mount has a volume and every volume is mounted. */
function mounts(objects) {
  return workloads(objects).flatMap((workload) => {
    const claimed = (workload.spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name);
    const volumes = new Set([...(podOf(workload).spec.volumes ?? []).map(({ name }) => name), ...claimed]);
    const mounted = new Set(containersOf(podOf(workload)).flatMap((container) => (container.volumeMounts ?? []).map(({ name }) => name)));
    return [
      ...[...mounted].filter((name) => !volumes.has(name)).map((name) => `${workload.metadata.name} mounts ${name}, but has no such volume`),
      ...[...volumes].filter((name) => !mounted.has(name)).map((name) => `${workload.metadata.name} does not mount its volume ${name}`),
    ];
  });
}

function servicePorts(objects) {
  return of(objects, "Service").flatMap((service) => {
    const workload = workloads(objects).find((w) => w.kind !== "Job" && selects(service.spec.selector, labelsOf(w)));
    const open = workload ? containersOf(podOf(workload)).flatMap((container) => container.ports ?? []) : [];
    return service.spec.ports.flatMap(({ name, port, targetPort }) => {
      const target = open.find((candidate) => candidate.name === targetPort);
      return target && target.containerPort === port ? [] : [`port ${name} of Service ${service.metadata.name} matches no container port`];
    });
  });
}

function denial(objects) {
  const policies = of(objects, "NetworkPolicy");
  const denies = policies.some(({ spec }) => Object.keys(spec.podSelector).length === 0 && !spec.ingress && !spec.egress &&
    ["Ingress", "Egress"].every((type) => spec.policyTypes?.includes(type)));
  return [
    ...(denies ? [] : ["no NetworkPolicy denies all other traffic"]),
    ...workloads(objects).filter((workload) => !policies.some(({ spec }) =>
      Object.keys(spec.podSelector).length > 0 && selects(spec.podSelector.matchLabels, labelsOf(workload)) &&
      ["Ingress", "Egress"].every((type) => spec.policyTypes?.includes(type))))
      .map((workload) => `no NetworkPolicy selects ${workload.metadata.name}`),
  ];
}

function allowances(objects) {
  return of(objects, "NetworkPolicy").flatMap(({ metadata: { name }, spec }) => {
    const rules = [...(spec.ingress ?? []).map((rule) => [rule.from, rule]), ...(spec.egress ?? []).map((rule) => [rule.to, rule])];
    return rules.flatMap(([peers, rule]) => [
      ...(peers?.length > 0 && rule.ports?.length > 0 ? [] : [`${name} allows every peer or every port`]),
      ...(rule.ports ?? []).filter(({ port }) => port === undefined).map(() => `${name} allows every port`),
      ...(peers ?? []).flatMap(({ ipBlock, podSelector, namespaceSelector }) => {
        if (ipBlock?.cidr === "0.0.0.0/0")
          return exceptions.every((block) => ipBlock.except?.includes(block)) ? [] : [`${name} reaches private addresses`];
        if (ipBlock) return isPrivate(ipBlock.cidr) || ipBlock.cidr === "2000::/3" ? [] : [`${name} reaches ${ipBlock.cidr}`];
        if (namespaceSelector)
          return namespaceSelector.matchLabels?.["kubernetes.io/metadata.name"] ? [] : [`${name} allows any namespace`];
        return workloads(objects).some((workload) => selects(podSelector.matchLabels, labelsOf(workload))) &&
          Object.keys(podSelector.matchLabels ?? {}).length > 0 ? [] : [`${name} selects no existing pods`];
      }),
    ]);
  });
}

// Connections that every service needs: DNS, its data stores, and (except for auth-mfa) the keys of user tokens.
function reach(objects) {
  return services(objects).flatMap(({ metadata: { name } }) => {
    const policy = of(objects, "NetworkPolicy").find(({ spec }) =>
      spec.podSelector.matchLabels?.["app.kubernetes.io/name"] === name && spec.podSelector.matchLabels["app.kubernetes.io/component"] === "api");
    const to = new Set((policy?.spec.egress ?? []).flatMap((rule) => rule.ports.map(({ port }) => port)));
    const from = new Set((policy?.spec.ingress ?? []).flatMap((rule) => rule.ports.map(({ port }) => port)));
    return [
      ...[53, 5432, 6379, 443, ...(name === "auth-mfa" ? [] : [8102])].filter((port) => !to.has(port)).map((port) => `${name} does not reach port ${port}`),
      ...["api", "ops"].filter((port) => !from.has(port)).map((port) => `${name} cannot be reached on its port ${port}`),
    ];
  });
}

/** The ConfigMap of a service. */
export function settingsOf(objects, name) {
  const deployment = named(objects, "Deployment", name);
  const reference = podOf(deployment).spec.containers[0].envFrom.find(({ configMapRef }) => configMapRef).configMapRef.name;
  return named(objects, "ConfigMap", reference)?.data ?? {};
}

/** The pages for people of auth-mfa. */
const hostedPages = ["/login", "/register", "/account", "/enroll", "/reset", "/verify-email", "/invite", "/confirm-email", "/revert-email", "/console"];

function routes(objects) {
  const [gateway] = of(objects, "Gateway");
  if (!gateway) return [];
  const names = of(objects, "Certificate").flatMap(({ spec }) => spec.dnsNames);
  const ofHttp = of(objects, "HTTPRoute").filter(({ spec }) => spec.parentRefs.some(({ sectionName }) => sectionName === "http"));
  const forPeople = ({ matches = [] }) => matches.length > 0 && matches.every(({ method, path }) => method === "GET" && path?.type === "Exact" && hostedPages.includes(path.value));
  const inTheClear = ofHttp.flatMap(({ spec }) => spec.rules).filter((rule) => rule.backendRefs || !forPeople(rule));
  return services(objects).flatMap(({ metadata: { name } }) => {
    const host = `*.${settingsOf(objects, name).BASE_HOST}`;
    const route = named(objects, "HTTPRoute", name);
    const listener = gateway.spec.listeners.find((candidate) => candidate.name === route?.spec.parentRefs[0].sectionName);
    const backend = route?.spec.rules[0].backendRefs?.[0];
    const port = named(objects, "Service", backend?.name)?.spec.ports.find((candidate) => candidate.port === backend.port);
    const added = route?.spec.rules[0].filters?.flatMap(({ responseHeaderModifier }) => responseHeaderModifier?.set ?? []) ?? [];
    const hsts = added.find((header) => header.name === "Strict-Transport-Security")?.value ?? "";
    return [
      ...inTheClear.map(() => "a route on the port without TLS serves requests, or redirects more than the hosted pages"),
      ...(Number(/^max-age=(\d+); includeSubDomains$/.exec(hsts)?.[1]) >= 31_536_000 ? [] : [`the route of ${name} has no Strict-Transport-Security of a year`]),
      ...(route?.spec.hostnames?.join() === host ? [] : [`the route of ${name} does not have the host ${host}`]),
      ...(listener?.hostname === host && listener.protocol === "HTTPS" ? [] : [`no HTTPS listener for ${host}`]),
      ...(names.includes(host) ? [] : [`no certificate for ${host}`]),
      ...(port?.name === "api" && backend.name === name ? [] : [`the route of ${name} does not point to its API port`]),
    ];
  });
}

function hosts(objects) {
  const issuer = settingsOf(objects, "auth-mfa").BASE_HOST ?? "auth.localhost";
  const boards = settingsOf(objects, "feedback").BASE_HOST ?? "feedback.localhost";
  const known = settingsOf(objects, "auth-mfa").FEEDBACK_BASE_HOST ?? "feedback.localhost";
  const board = known === boards ? [] : [`auth-mfa: FEEDBACK_BASE_HOST is not ${boards}, feedback's BASE_HOST`];
  const called = ["feedback", "notify", "billing"].flatMap((name) => {
    const url = settingsOf(objects, "auth-mfa")[`CONSOLE_${name.toUpperCase()}_URL`];
    const host = /^https?:\/\/\{tenant\}\.([^:/]+)(:\d+)?$/.exec(url)?.[1];
    return host === (settingsOf(objects, name).BASE_HOST ?? `${name}.localhost`) ? [] : [`auth-mfa: CONSOLE_${name.toUpperCase()}_URL is not at ${name}'s BASE_HOST`];
  });
  return [...board, ...called].concat(services(objects).filter(({ metadata: { name } }) => name !== "auth-mfa").flatMap(({ metadata: { name } }) =>
    (settingsOf(objects, name).JWT_ISSUER_HOST ?? "auth.localhost") === issuer ? [] : [`${name}: JWT_ISSUER_HOST is not ${issuer}, auth-mfa's BASE_HOST`]));
}

function monitoring(objects) {
  return of(objects, "ServiceMonitor").flatMap(({ spec }) => services(objects).flatMap(({ metadata: { name } }) => {
    const service = named(objects, "Service", name);
    return service && selects(spec.selector.matchLabels, service.metadata.labels) &&
      spec.endpoints.every((endpoint) => service.spec.ports.some((port) => port.name === endpoint.port)) ? [] : [`${name} is not scraped`];
  }));
}

function namespaces(objects) {
  const spaces = of(objects, "Namespace");
  return [
    ...(spaces.length === 1 && spaces[0].metadata.labels?.["pod-security.kubernetes.io/enforce"] === "restricted" ? [] :
      ["the namespace does not enforce the restricted standard"]),
    ...objects.filter((object) => object.kind !== "Namespace" && object.metadata.namespace !== spaces[0]?.metadata.name)
      .map((object) => `${object.kind} ${object.metadata.name} is not in the namespace of the overlay`),
  ];
}

export const rules = { resources, probes, stopping, rollout, companions, images, tokens, confinement, selectors, references, mounts,
  servicePorts, denial, allowances, reach, routes, hosts, monitoring, namespaces };

/** All faults of an overlay's objects. `secrets`: names of the Secrets that are created separately. */
export const faults = (objects, secrets) => Object.values(rules).flatMap((rule) => rule(objects, secrets));
