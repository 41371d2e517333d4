// Preloaded into a measured process: at its end it writes its largest resident size, in kilobytes, and its seconds of
// processor time to the file that PEAK_MEMORY_FILE names, or else to descriptor 3.
import { readFileSync, writeFileSync } from 'node:fs';

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeFileSync(process.env.PEAK_MEMORY_FILE ?? 3, `${peakKilobytes()} ${(user + system) / 1e6}`);
});

/** On Linux `maxRSS` begins with the size of the process that started this one, and the kernel's own figure does not. */
function peakKilobytes() {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
    return Number(kilobytes);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}
