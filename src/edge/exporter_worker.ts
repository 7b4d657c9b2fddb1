/// <reference lib="deno.worker" />
/**
 * The Worker that an exporter runs in. It may reach its server and read the run's own rollouts and metrics; nothing
 * else, and the collector cannot reach what it can.
 */
import { Exporter } from "../export/exporter.ts";
import type { FromExporter, ToExporter } from "../export/messages.ts";
import { denoClock } from "./deno_clock.ts";
import { denoFiles } from "./deno_files.ts";
import { trackingHttp } from "./tracking_http.ts";

const say = (message: FromExporter) => self.postMessage(message);
let exporter: Exporter | undefined;

self.onmessage = ({ data }: MessageEvent<ToExporter>) => {
  if (data.kind !== "open") return exporter!.tell(data);
  const { uri, token } = data.plan;
  exporter = new Exporter(data.plan, {
    tracking: trackingHttp(uri, token),
    clock: denoClock,
    say,
    files: denoFiles,
  });
  exporter.run();
};
say({ kind: "ready" });
