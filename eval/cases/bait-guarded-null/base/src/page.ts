import { listed, type Project } from './owner.js';

export function page(projects: readonly Project[]): string {
  return listed(projects).map(row).join('\n');
}

function row(project: ReturnType<typeof listed>[number]): string {
  return project.title;
}
