export interface Owner {
  readonly name: string;
}

export interface Project {
  readonly owner: Owner | undefined;
  readonly title: string;
}

/** Only projects with an owner are listed. */
export function listed(projects: readonly Project[]): readonly (Project & { readonly owner: Owner })[] {
  return projects.filter((project): project is Project & { owner: Owner } => project.owner !== undefined);
}
