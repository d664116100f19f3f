// Checks deploy/ against the schemas of Kubernetes, the restricted Pod Security Standard, the rules of rules.mjs and the built services.
// SOURCE is the checkout, SERVICES the folder of the built services.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";
import YAML from "yaml";
import { build, parse } from "./kustomize.mjs";
import { podOf, podSecurityFaults, rules as podSecurityRules } from "./pod_security.mjs";
import { faults, named, of, rules, services, settingsOf } from "./rules.mjs";
import { schemaFaults } from "./schemas.mjs";

const { SOURCE, SERVICES } = process.env;
const deploy = `${SOURCE}/deploy`;
const read = (path) => readFileSync(path, "utf8");
const [, version] = read(`${SOURCE}/CMakeLists.txt`).match(/^project\(tetrad VERSION (\S+) /m);
const overlays = Object.fromEntries(readdirSync(`${deploy}/overlays`).map((name) => [name, parse(build(`${deploy}/overlays/${name}`))]));
const copy = (objects) => JSON.parse(JSON.stringify(objects));
const secrets = parse(execFileSync(`${deploy}/make-secrets`, ["kubernetes"], { encoding: "utf8" }));
const secretNames = new Set(secrets.map((secret) => secret.metadata.name));
const label = (object) => `${object.kind} ${object.metadata.name}`;

/** Name, ports and base host of each service, from scripts/common.sh. */
const table = Object.fromEntries(read(`${SOURCE}/scripts/common.sh`).match(/SERVICES_TABLE='\n([^']*)'/)[1].trim().split("\n")
  .map((line) => line.trim().split(/\s+/)).map(([name, prefix, port, ops, database, host]) => [name, { prefix, port: +port, ops: +ops, database, host }]));

const variables = (path) => (existsSync(path) ? Object.fromEntries(read(path).split("\n").filter((line) => /^[A-Z]/.test(line))
  .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)])) : {});

/** Only the options of sanitizers are passed on from the environment. */
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^[ALUT]+SAN_OPTIONS$/.test(name)));

/**
 * The faults that the service itself finds in `settings`. Each setting is passed as a flag, because a service reports an unknown flag but
 * ignores an unknown variable. One unknown flag is always added, so that the service does not start.
 */
function configurationFaults(name, settings) {
  const flags = Object.entries(settings).map(([variable, value]) => `--${variable.toLowerCase().replaceAll("_", "-")}=${value}`);
  const run = spawnSync(`${SERVICES}/${name}/${name}`, ["serve", ...flags, "--there-is-no-such-setting=1"],
    { env: environment, encoding: "utf8" });
  assert.ifError(run.error);
  assert.equal(run.status, 2, run.stderr);
  const lines = run.stderr.trim().split("\n").slice(1);
  const rest = lines.filter((line) => !line.includes("--there-is-no-such-setting"));
  assert.equal(lines.length, rest.length + 1, run.stderr);
  return rest;
}

for (const [overlay, objects] of Object.entries(overlays)) {
  test(`${overlay}: every object matches its schema`, () => {
    assert.deepEqual(objects.flatMap((object) => schemaFaults(object).map((fault) => `${label(object)}${fault}`)), []);
  });

  test(`${overlay}: every pod meets the restricted standard`, () => {
    const pods = objects.filter(podOf);
    assert.ok(pods.length >= 8);
    assert.deepEqual(pods.flatMap((object) => podSecurityFaults(podOf(object)).map((fault) => `${label(object)}: ${fault}`)), []);
  });

  test(`${overlay}: the objects are consistent with each other`, () => {
    assert.deepEqual(services(objects).map((object) => object.metadata.name).sort(), Object.keys(table).sort());
    assert.deepEqual(faults(objects, secretNames), []);
  });

  test(`${overlay}: ports match scripts/common.sh`, () => {
    for (const [name, { port, ops }] of Object.entries(table)) {
      const { ports } = podOf(named(objects, "Deployment", name)).spec.containers[0];
      assert.deepEqual(ports.map((p) => [p.name, p.containerPort]).sort(), [["api", port], ["ops", ops]], name);
    }
  });

  for (const name of Object.keys(table)) {
    test(`${overlay}: ${name} accepts its settings`, () => {
      const deployment = podOf(named(objects, "Deployment", name)).spec.containers[0];
      const own = named(secrets, "Secret", name).stringData;
      const provider = overlay === "local" ? {} : variables(`${deploy}/components/providers/secrets/${name}.env`);
      assert.ok(deployment.envFrom.some(({ secretRef }) => secretRef?.name === name));
      assert.ok(deployment.envFrom.some(({ secretRef }) => secretRef?.name === `${name}-providers`));
      assert.deepEqual(configurationFaults(name, { ...settingsOf(objects, name), ...own, ...provider }), []);
    });
  }
}

test("staging and production use real providers and the gateway", () => {
  for (const overlay of ["staging", "production"]) {
    const objects = overlays[overlay];
    assert.equal(of(objects, "StatefulSet").length, 0);
    assert.equal(of(objects, "HTTPRoute").length, 5);
    assert.equal(of(objects, "ServiceMonitor").length, 1);
    assert.ok(of(objects, "Gateway")[0].spec.infrastructure.parametersRef.name === of(objects, "EnvoyProxy")[0].metadata.name);
    for (const name of Object.keys(table))
      for (const [variable, value] of Object.entries(settingsOf(objects, name)))
        assert.ok(!/OUTBOX|BLOB_DIR|ALLOW_PRIVATE/.test(variable) && !/localhost/.test(value), `${overlay} ${name} ${variable}=${value}`);
    assert.ok(of(objects, "Job").every((job) => job.metadata.name.endsWith(`-${version}`)));
    assert.ok(of(objects, "HorizontalPodAutoscaler").every(({ spec }) => spec.minReplicas >= 2));
  }
});

test("overlays, README.md and images have the version of CMakeLists.txt", () => {
  for (const overlay of Object.keys(overlays)) {
    const { images } = YAML.parse(read(`${deploy}/overlays/${overlay}/settings/kustomization.yaml`));
    assert.deepEqual(images.map(({ name }) => name), Object.keys(table).map((name) => `tetrad/${name}`), overlay);
    for (const { name, newTag } of images) assert.equal(newTag, overlay === "local" ? "local" : version, `${overlay} ${name}`);
  }
  assert.deepEqual([...read(`${SOURCE}/README.md`).matchAll(/\bVersion (\d+\.\d+\.\d+)/g)].map(([, found]) => found), [version]);
  assert.match(read(`${deploy}/Containerfile`), /\nFROM runtime-\$\{SERVICE\}\n(.*\n)*ARG VERSION=development\nLABEL .*image\.version="\$\{VERSION\}"\n/);
});

test("every secret matches its schema, and services share only the operator's secrets", () => {
  assert.deepEqual(secrets.flatMap((secret) => schemaFaults(secret).map((fault) => `${label(secret)}${fault}`)), []);
  const own = Object.keys(table).map((name) => named(secrets, "Secret", name).stringData);
  for (const key of ["DATABASE_URL", "ENCRYPTION_KEYS"]) assert.equal(new Set(own.map((data) => data[key])).size, own.length);
  for (const name of Object.keys(table)) {
    assert.match(named(secrets, "Secret", name).stringData.DATABASE_URL, new RegExp(`//${table[name].database}_service:`));
    assert.match(named(secrets, "Secret", `${name}-owner`).stringData.DATABASE_URL, new RegExp(`//${table[name].database}_owner:`));
  }
  const again = parse(execFileSync(`${deploy}/make-secrets`, ["kubernetes", "--postgres", "db:6543", "--postgres-options", "sslmode=require"], { encoding: "utf8" }));
  assert.match(named(again, "Secret", "notify").stringData.DATABASE_URL, /@db:6543\/notify\?sslmode=require$/);
  assert.match(named(again, "Secret", "notify").stringData.REDIS_URL, /^redis:\/\/:[0-9a-f]{40}@redis$/);
  const nodes = ["kubernetes", "--redis", "a:6379,b:6379", "--redis-scheme", "rediss+cluster"];
  const managed = parse(execFileSync(`${deploy}/make-secrets`, nodes, { encoding: "utf8" }));
  assert.match(named(managed, "Secret", "notify").stringData.REDIS_URL, /^rediss\+cluster:\/\/:[0-9a-f]{40}@a:6379,b:6379$/);
  assert.notEqual(named(again, "Secret", "notify").stringData.MASTER_KEY, named(secrets, "Secret", "notify").stringData.MASTER_KEY);
});

test("the programs listen on the ports of the images and the Services", () => {
  const containerfile = read(`${deploy}/Containerfile`);
  for (const [name, { port, ops, host }] of Object.entries(table)) {
    const help = execFileSync(`${SERVICES}/${name}/${name}`, ["--help"], { env: environment, encoding: "utf8" });
    assert.match(help, new RegExp(`--port .*\\[${port}\\]`));
    assert.match(help, new RegExp(`--ops-port .*\\[${ops}\\]`));
    assert.match(help, new RegExp(`--base-host .*\\[${host}\\]`));
    assert.match(help, /\bawait-schema\b/);
    assert.match(help, /\bhealthcheck\b/);
    assert.match(containerfile, new RegExp(`AS runtime-${name}\\n(RUN (.*\\\\\\n)*.*\\n)?EXPOSE ${port} ${ops}\\n`));
  }
});

// --- compose.yaml ----------------------------------------------------------------------------------------------------------

const secretVariables = Object.fromEntries(execFileSync(`${deploy}/make-secrets`, ["compose"], { encoding: "utf8" }).trim().split("\n")
  .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));

/** Substitutes variables as Compose does. An unset variable is a fault. */
const substituted = (text) => text.replace(/\$\{(\w+)(:[?-][^}]*)?\}/g, (_, name) => {
  assert.ok(name in secretVariables, `make-secrets compose does not print ${name}`);
  return secretVariables[name];
});
const compose = YAML.parse(substituted(read(`${deploy}/compose.yaml`)), { merge: true });

test("compose.yaml: each service starts after its migration, is confined, and accepts its settings", () => {
  for (const [name, { port, ops, database }] of Object.entries(table)) {
    const service = compose.services[name];
    const migration = compose.services[`${name}-migrate`];
    assert.deepEqual(service.build.args, { SERVICE: name, VERSION: version });
    assert.equal(service.build.dockerfile, "deploy/Containerfile");
    assert.equal(service.image, migration.image);
    assert.deepEqual(migration.command, ["migrate"]);
    assert.equal(service.depends_on[`${name}-migrate`].condition, "service_completed_successfully");
    assert.equal(migration.depends_on.postgres.condition, "service_healthy");
    for (const one of [service, migration]) {
      assert.equal(one.read_only, true);
      assert.deepEqual(one.cap_drop, ["ALL"]);
      assert.deepEqual(one.security_opt, ["no-new-privileges:true"]);
    }
    assert.deepEqual(service.ports, [`127.0.0.1:${port}:${port}`, `127.0.0.1:${ops}:${ops}`]);
    assert.match(service.environment.DATABASE_URL, new RegExp(`^postgresql://${database}_service:\\w+@postgres/${database}$`));
    assert.match(migration.environment.DATABASE_URL, new RegExp(`^postgresql://${database}_owner:\\w+@postgres/${database}$`));
    const files = service.env_file.map((file) => {
      assert.ok(existsSync(`${deploy}/${file}`), file);
      return variables(`${deploy}/${file}`);
    });
    assert.deepEqual(configurationFaults(name, Object.assign({}, ...files, service.environment)), [], name);
    const writes = Object.values(Object.assign({}, ...files)).some((value) => value.startsWith("/var/lib/tetrad"));
    assert.equal(service.volumes?.[0].endsWith(":/var/lib/tetrad") ?? false, writes, name);
    assert.ok(parseInt(service.stop_grace_period, 10) > 30);
  }
});

test("compose.yaml: PostgreSQL gets every password that create.sh needs", () => {
  for (const { database } of Object.values(table))
    for (const role of ["OWNER", "SERVICE"])
      assert.ok(compose.services.postgres.environment[`${database.toUpperCase()}_${role}_PASSWORD`]);
  assert.ok(existsSync(`${deploy}/base/databases/create.sh`));
  assert.ok(compose.services.postgres.volumes.includes("./base/databases:/docker-entrypoint-initdb.d:ro"));
});

test("compose.yaml: Compose accepts it", () => {
  const plugin = spawnSync("docker", ["compose", "version"]).status === 0; // otherwise Debian's docker-compose
  const [program, ...first] = plugin ? ["docker", "compose"] : ["docker-compose"];
  const config = (file, variables) => spawnSync(program, [...first, "-f", "-", "--project-directory", deploy, "config"],
    { input: file, cwd: deploy, encoding: "utf8", env: { ...process.env, ...variables } });
  const text = read(`${deploy}/compose.yaml`);
  const good = config(text, secretVariables);
  assert.ifError(good.error);
  assert.equal(good.status, 0, good.stderr);
  assert.deepEqual(Object.keys(YAML.parse(good.stdout).services).sort(), Object.keys(compose.services).sort());
  assert.notEqual(config(text, { ...secretVariables, POSTGRES_PASSWORD: "" }).status, 0);
  assert.notEqual(config(text.replace("read_only", "readonly"), secretVariables).status, 0);
});

test("managed-data mounts the TLS files at the paths in data.md", () => {
  const at = (container) => Object.fromEntries((container.volumeMounts ?? []).map(({ name, mountPath, readOnly }) => [mountPath, readOnly && name]));
  const document = read(`${SOURCE}/docs/operations/data.md`);
  const folders = [...document.matchAll(/^REDIS_\w+=(\/etc\/tetrad\/[\w-]+)\/[\w.]+$/gm)].map(([, folder]) => folder);
  assert.equal(folders.length, 3);
  const expected = { "/etc/tetrad/data-authorities": "data-authorities", "/etc/tetrad/redis-client": "redis-client" };
  assert.deepEqual([...new Set(folders)].sort(), Object.keys(expected));
  for (const overlay of ["staging", "production"]) {
    for (const deployment of services(overlays[overlay])) {
      const { spec } = podOf(deployment);
      assert.deepEqual([...spec.initContainers, ...spec.containers].map(at), [expected, expected], deployment.metadata.name);
      const { secret } = spec.volumes.find(({ name }) => name === "redis-client");
      assert.equal(secret.defaultMode, 0o440);
      assert.equal(spec.securityContext.fsGroup, spec.securityContext.runAsGroup);
    }
    for (const job of of(overlays[overlay], "Job"))
      assert.deepEqual(at(podOf(job).spec.containers[0]), { "/etc/tetrad/data-authorities": "data-authorities" });
  }
});

test("pod-identity lets only the services with attachments reach the agent", () => {
  const folder = mkdtempSync(`${tmpdir()}/tetrad-deploy-`);
  const overlay = path.relative(folder, `${deploy}/overlays/production`);
  const component = path.relative(folder, `${deploy}/components/pod-identity`);
  writeFileSync(`${folder}/kustomization.yaml`, `resources: [${overlay}]\ncomponents: [${component}]\n`);
  const objects = parse(build(folder));
  rmSync(folder, { recursive: true });
  const reach = objects.filter((object) => object.kind === "NetworkPolicy" && JSON.stringify(object.spec.egress ?? []).includes("169.254.170.23/32"));
  assert.deepEqual(reach.map((object) => object.metadata.name).sort(), ["feedback", "notify"]);
  assert.deepEqual(objects.flatMap((object) => schemaFaults(object)), []);
});

// --- The checks find faults ------------------------------------------------------------------------------------------------

const production = overlays.production;
/** The faults after a `change` to a copy of the object. */
function after(kind, name, change, check) {
  const objects = copy(production);
  change(named(objects, kind, name), objects);
  return check(objects);
}

test("the schema check finds invalid objects", () => {
  const rows = [
    ["Deployment", "feedback", (o) => { o.spec.template.spec.containers[0].imagePullPolice = "Always"; }, /imagePullPolice: unknown field/],
    ["Deployment", "feedback", (o) => { o.spec.template.spec.containers[0].ports[0].containerPort = "8101"; }, /containerPort: type/],
    ["Deployment", "feedback", (o) => { delete o.spec.selector; }, /required .*selector/],
    ["Deployment", "feedback", (o) => { o.apiVersion = "extensions/v1beta1"; }, /no schema/],
    ["HTTPRoute", "feedback", (o) => { o.spec.hostnames = ["*.feedback.example.com:8101"]; }, /hostnames\/0/],
    ["HTTPRoute", "feedback", (o) => { o.spec.rules[0].backends = []; }, /backends: unknown field/],
    ["Gateway", "tetrad", (o) => { o.spec.listeners[0].port = 0; }, /port/],
    ["ServiceMonitor", "tetrad", (o) => { o.spec.endpoints[0].intervall = "15s"; }, /intervall: unknown field/],
    ["Certificate", "tetrad-wildcard", (o) => { delete o.spec.secretName; }, /secretName/],
    ["EnvoyProxy", "tetrad", (o) => { o.spec.telemetry.tracing.rate = 5; }, /rate: unknown field/],
    ["NetworkPolicy", "feedback", (o) => { o.spec.egress[0].too = []; }, /too: unknown field/],
  ];
  for (const [kind, name, change, expected] of rows) {
    const found = after(kind, name, change, (objects) => objects.flatMap(schemaFaults));
    assert.equal(found.length > 0 && expected.test(found.join("\n")), true, `${kind} ${expected}: ${found}`);
  }
});

test("each rule of the restricted standard finds a pod that breaks it", () => {
  const container = (change) => (pod) => change(pod.spec.containers[0].securityContext, pod.spec.containers[0]);
  const breaks = {
    "host namespaces": [(pod) => { pod.spec.hostNetwork = true; }, (pod) => { pod.spec.hostPID = true; }, (pod) => { pod.spec.hostIPC = true; }],
    "hostPath volumes and other volume types": [(pod) => { pod.spec.volumes = [{ name: "a", hostPath: { path: "/" } }]; }],
    "sysctls": [(pod) => { pod.spec.securityContext.sysctls = [{ name: "kernel.msgmax", value: "1" }]; }],
    "AppArmor annotations": [(pod) => { pod.metadata.annotations = { "container.apparmor.security.beta.kubernetes.io/feedback": "unconfined" }; }],
    "HostProcess": [container((own) => { own.windowsOptions = { hostProcess: true }; })],
    "privileged": [container((own) => { own.privileged = true; })],
    "capabilities": [container((own) => { own.capabilities = {}; }), container((own) => { own.capabilities.add = ["SYS_PTRACE"]; })],
    "host ports": [container((own, c) => { c.ports[0].hostPort = 80; })],
    "host probes": [container((own, c) => { c.livenessProbe.httpGet.host = "169.254.169.254"; })],
    "AppArmor": [container((own) => { own.appArmorProfile = { type: "Unconfined" }; })],
    "SELinux": [container((own) => { own.seLinuxOptions = { type: "spc_t" }; }), container((own) => { own.seLinuxOptions = { user: "root" }; })],
    "/proc mount type": [container((own) => { own.procMount = "Unmasked"; })],
    "privilege escalation": [container((own) => { delete own.allowPrivilegeEscalation; })],
    "running as non-root": [(pod) => { delete pod.spec.securityContext.runAsNonRoot; }, container((own) => { own.runAsNonRoot = false; })],
    "running as non-root user": [(pod) => { pod.spec.securityContext.runAsUser = 0; }, container((own) => { own.runAsUser = 0; })],
    "seccomp": [(pod) => { delete pod.spec.securityContext.seccompProfile; }, container((own) => { own.seccompProfile = { type: "Unconfined" }; })],
  };
  assert.deepEqual(Object.keys(breaks).sort(), [...podSecurityRules].sort());
  for (const [rule, changes] of Object.entries(breaks)) {
    for (const change of changes) {
      const pod = copy(podOf(named(production, "Deployment", "feedback")));
      change(pod);
      const found = podSecurityFaults(pod);
      assert.ok(found.some((fault) => fault === rule || fault.startsWith(`${rule} (`)), `${rule}: ${found}`);
    }
  }
  // The rules apply to init containers too.
  const pod = copy(podOf(named(production, "Deployment", "feedback")));
  delete pod.spec.initContainers[0].securityContext;
  assert.ok(podSecurityFaults(pod).every((fault) => fault.endsWith("(await-schema)")));
  assert.ok(podSecurityFaults(pod).length > 0);
});

test("each rule for the consistency of objects finds a fault", () => {
  const drop = (kind, name) => (objects) => { objects.splice(objects.indexOf(named(objects, kind, name)), 1); };
  const edit = (kind, name, change) => (objects) => change(named(objects, kind, name));
  const pod = (change) => edit("Deployment", "notify", (o) => change(o.spec.template.spec, o));
  const breaks = {
    resources: [pod((spec) => { delete spec.containers[0].resources.limits.memory; }), pod((spec) => { spec.initContainers[0].resources.requests.cpu = "lots"; })],
    probes: [pod((spec) => { delete spec.containers[0].readinessProbe; }), pod((spec) => { spec.containers[0].livenessProbe.httpGet.path = "/readyz"; })],
    stopping: [pod((spec) => { delete spec.containers[0].lifecycle; }), pod((spec) => { spec.terminationGracePeriodSeconds = 35; })],
    rollout: [pod((spec, o) => { o.spec.replicas = 1; }), pod((spec, o) => { o.spec.strategy.rollingUpdate.maxUnavailable = 1; }), pod((spec) => { spec.topologySpreadConstraints.pop(); })],
    companions: [drop("PodDisruptionBudget", "notify"), drop("HorizontalPodAutoscaler", "notify"), drop("ServiceAccount", "notify"), drop("Service", "notify"),
      drop("Job", `notify-migrate-${version}`), pod((spec) => { spec.initContainers = []; }), pod((spec) => { spec.containers[0].image += "-1"; })],
    images: [pod((spec) => { spec.containers[0].image = "tetrad/notify"; }), pod((spec) => { spec.containers[0].image = "tetrad/notify:latest"; })],
    tokens: [pod((spec) => { delete spec.automountServiceAccountToken; }), pod((spec) => { spec.enableServiceLinks = true; })],
    confinement: [pod((spec) => { spec.containers[0].securityContext.readOnlyRootFilesystem = false; })],
    selectors: [edit("Service", "notify", (o) => { delete o.spec.selector["app.kubernetes.io/component"]; }), edit("PodDisruptionBudget", "notify", (o) => { o.spec.selector.matchLabels = { "app.kubernetes.io/name": "none" }; })],
    references: [pod((spec) => { spec.containers[0].envFrom[0].configMapRef.name = "notify"; }), pod((spec) => { spec.containers[0].envFrom[1].secretRef.name = "none"; }),
      pod((spec) => { delete spec.volumes[0].configMap.optional; }), pod((spec) => { delete spec.volumes[1].secret.optional; })],
    mounts: [pod((spec) => { spec.volumes.pop(); }), pod((spec) => { spec.volumes.push({ name: "unused", emptyDir: {} }); })],
    servicePorts: [edit("Service", "notify", (o) => { o.spec.ports[0].targetPort = "http"; }), edit("Service", "notify", (o) => { o.spec.ports[0].port = 80; })],
    denial: [drop("NetworkPolicy", "default-deny"), drop("NetworkPolicy", "notify"), edit("NetworkPolicy", "default-deny", (o) => { o.spec.egress = [{}]; })],
    allowances: [edit("NetworkPolicy", "notify", (o) => { delete o.spec.egress[1].to; }), edit("NetworkPolicy", "notify", (o) => { delete o.spec.egress[1].ports; }),
      edit("NetworkPolicy", "notify", (o) => { o.spec.egress[3].to[0].ipBlock.except.pop(); }), edit("NetworkPolicy", "notify", (o) => { o.spec.egress[1].to[0].ipBlock.cidr = "8.8.8.0/24"; }),
      edit("NetworkPolicy", "notify", (o) => { o.spec.ingress[0].from[0] = { namespaceSelector: {} }; }), edit("NetworkPolicy", "notify", (o) => { o.spec.egress[4].to[0].podSelector.matchLabels["app.kubernetes.io/name"] = "auth"; })],
    reach: [edit("NetworkPolicy", "notify", (o) => { o.spec.egress.splice(2, 1); }), edit("NetworkPolicy", "notify", (o) => { o.spec.ingress.pop(); })],
    routes: [drop("HTTPRoute", "notify"), edit("HTTPRoute", "notify", (o) => { o.spec.rules[0].backendRefs[0].port = 9103; }),
      edit("Gateway", "tetrad", (o) => { o.spec.listeners.pop(); o.spec.listeners.pop(); }), edit("Certificate", "tetrad-wildcard", (o) => { o.spec.dnsNames.splice(2, 1); }),
      edit("HTTPRoute", "notify", (o) => { delete o.spec.rules[0].filters; }), edit("HTTPRoute", "to-https", (o) => { delete o.spec.rules[0].matches; })],
    hosts: [(objects) => { settingsOf(objects, "notify").JWT_ISSUER_HOST = "auth.example.org"; },
      (objects) => { settingsOf(objects, "auth-mfa").FEEDBACK_BASE_HOST = "feedback.example.org"; },
      (objects) => { delete settingsOf(objects, "auth-mfa").CONSOLE_NOTIFY_URL; }, (objects) => { settingsOf(objects, "auth-mfa").CONSOLE_BILLING_URL = "https://{tenant}.billing.example.org"; }],
    monitoring: [edit("ServiceMonitor", "tetrad", (o) => { o.spec.endpoints[0].port = "metrics"; }), edit("Service", "notify", (o) => { delete o.metadata.labels["app.kubernetes.io/part-of"]; })],
    namespaces: [edit("Namespace", "tetrad", (o) => { o.metadata.labels = {}; }), edit("Service", "notify", (o) => { o.metadata.namespace = "default"; })],
  };
  assert.deepEqual(Object.keys(breaks).sort(), Object.keys(rules).sort());
  for (const [rule, changes] of Object.entries(breaks)) {
    changes.forEach((change, i) => {
      const objects = copy(production);
      change(objects);
      assert.ok(rules[rule](objects, secretNames).length > 0, `${rule} does not find change ${i + 1}`);
    });
  }
});

test("unknown and invalid settings are found", () => {
  for (const name of Object.keys(table)) {
    const good = { ...settingsOf(production, name), ...named(secrets, "Secret", name).stringData, ...variables(`${deploy}/components/providers/secrets/${name}.env`) };
    assert.match(configurationFaults(name, { ...good, DATABASE_POOLS: "4" }).join(), /database-pools/);
    assert.match(configurationFaults(name, { ...good, THREADS: "many" }).join(), /threads/i);
    const { DATABASE_URL, ...rest } = good;
    assert.ok(DATABASE_URL);
    assert.match(configurationFaults(name, rest).join(), /DATABASE_URL/);
  }
});
