export const needed: number;
export const isNew: boolean;
export function broughtNode(): string | undefined;
