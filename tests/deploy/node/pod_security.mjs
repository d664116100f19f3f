// The rules of the Pod Security Standard `restricted`, which includes `baseline`:
// https://kubernetes.io/docs/concepts/security/pod-security-standards/

/** The pod template of a workload; undefined for other objects. */
export const podOf = (object) => (["Deployment", "StatefulSet", "Job"].includes(object.kind) ? object.spec.template : undefined);

export const containersOf = (pod) => [
  ...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? []), ...(pod.spec.ephemeralContainers ?? [])];

const seccomp = ["RuntimeDefault", "Localhost"];
const volumes = ["configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret", "name"];
const sysctls = ["kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.ip_unprivileged_port_start",
  "net.ipv4.tcp_syncookies", "net.ipv4.ping_group_range", "net.ipv4.ip_local_reserved_ports", "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes"];
const selinux = [undefined, "", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"];
const apparmor = [undefined, "RuntimeDefault", "Localhost"];

const forPod = [
  ["host namespaces", (pod) => !pod.spec.hostNetwork && !pod.spec.hostPID && !pod.spec.hostIPC],
  ["hostPath volumes and other volume types", (pod) =>
    (pod.spec.volumes ?? []).every((volume) => Object.keys(volume).every((type) => volumes.includes(type)))],
  ["sysctls", (pod) => (pod.spec.securityContext?.sysctls ?? []).every(({ name }) => sysctls.includes(name))],
  ["AppArmor annotations", (pod) => Object.entries(pod.metadata?.annotations ?? {}).every(([key, value]) =>
    !key.startsWith("container.apparmor.security.beta.kubernetes.io/") || value === "runtime/default" || value.startsWith("localhost/"))],
];

// Rules for a container. The pod's settings apply if the container has none.
const forContainer = [
  ["HostProcess", (own, pod) => !own.windowsOptions?.hostProcess && !pod.windowsOptions?.hostProcess],
  ["privileged", (own) => own.privileged !== true],
  ["capabilities", (own) => (own.capabilities?.drop ?? []).includes("ALL") &&
    (own.capabilities?.add ?? []).every((name) => name === "NET_BIND_SERVICE")],
  ["host ports", (own, pod, container) => (container.ports ?? []).every((port) => !port.hostPort)],
  ["host probes", (own, pod, container) =>
    [container.livenessProbe, container.readinessProbe, container.startupProbe, container.lifecycle?.preStop, container.lifecycle?.postStart]
      .every((probe) => !probe?.httpGet?.host && !probe?.tcpSocket?.host)],
  ["AppArmor", (own, pod) => apparmor.includes(own.appArmorProfile?.type) && apparmor.includes(pod.appArmorProfile?.type)],
  ["SELinux", (own, pod) => [own.seLinuxOptions, pod.seLinuxOptions].every(
    (options) => selinux.includes(options?.type) && !options?.user && !options?.role)],
  ["/proc mount type", (own) => [undefined, "Default"].includes(own.procMount)],
  ["privilege escalation", (own) => own.allowPrivilegeEscalation === false],
  ["running as non-root", (own, pod) => (own.runAsNonRoot ?? pod.runAsNonRoot) === true],
  ["running as non-root user", (own, pod) => own.runAsUser !== 0 && pod.runAsUser !== 0],
  ["seccomp", (own, pod) => seccomp.includes((own.seccompProfile ?? pod.seccompProfile)?.type)],
];

/** Names of the rules, for a test that breaks each rule. */
export const rules = [...forPod, ...forContainer].map(([name]) => name);

/** The rules that the pod template breaks, each with the name of the container. */
export function podSecurityFaults(pod) {
  const broken = forPod.filter(([, holds]) => !holds(pod)).map(([name]) => `${name}`);
  for (const container of containersOf(pod))
    for (const [name, holds] of forContainer)
      if (!holds(container.securityContext ?? {}, pod.spec.securityContext ?? {}, container)) broken.push(`${name} (${container.name})`);
  return broken;
}
