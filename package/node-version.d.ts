export const needed: number;
export const isNew: boolean;
export const advice: string;
