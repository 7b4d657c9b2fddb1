/** A run in shards as an Indexed Job of Kubernetes. */
import { shardArguments, type ShardedRun, WORK_LEFT } from "./sharded_run.ts";

/** What Kubernetes needs to know on top. */
export interface K8sOptions {
  readonly image: string;
  /** The claim of a volume that all pods can write, and where it is mounted. */
  readonly claim: string;
  readonly mount: string;
}

/** How often the pod of one index may fail. */
const RETRIES = 5;
/** Seconds between the end of the grace period and SIGKILL. */
const SPARE_S = 15;

/** The manifest, in YAML. Strings that come from outside are written as JSON, which YAML contains. */
export function k8sJob(run: ShardedRun, { image, claim, mount }: K8sOptions): string {
  const args = shardArguments(run, `auto/${run.shards}`).map((word) =>
    `            - ${JSON.stringify(word)}`
  );
  return `# ${run.shards} shards of one run, each an index of this job.
apiVersion: batch/v1
kind: Job
metadata:
  name: ${JSON.stringify(run.name)}
spec:
  completionMode: Indexed
  completions: ${run.shards}
  parallelism: ${Math.min(run.shards, run.atOnce ?? run.shards)}
  # One shard that fails for good does not end the others.
  backoffLimitPerIndex: ${RETRIES}
  podFailurePolicy:
    rules:
      # ${WORK_LEFT}: stopped with work left. The next pod of the index continues, and this does not count as a failure.
      - action: Ignore
        onExitCodes: { containerName: collect, operator: In, values: [${WORK_LEFT}] }
      # The node was drained, or the pod preempted.
      - action: Ignore
        onPodConditions: [{ type: DisruptionTarget, status: "True" }]
      # 2: wrong usage, configuration or input: trying again changes nothing.
      - action: FailIndex
        onExitCodes: { containerName: collect, operator: In, values: [2] }
  template:
    spec:
      restartPolicy: Never
      # SIGTERM, then ${run.graceS} s (--grace) for rollouts in flight.
      terminationGracePeriodSeconds: ${Math.ceil(run.graceS) + SPARE_S}
      containers:
        - name: collect
          image: ${JSON.stringify(image)}
          command: [${JSON.stringify(run.program)}]
          args:
${args.join("\n")}
          volumeMounts:
            - { name: runs, mountPath: ${JSON.stringify(mount)} }
      volumes:
        - name: runs
          persistentVolumeClaim: { claimName: ${JSON.stringify(claim)} }
`;
}
