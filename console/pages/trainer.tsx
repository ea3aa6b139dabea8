import { Page } from '../parts/page.tsx';

export default function Trainer() {
  return <Page title="Trainer">{null}</Page>;
}
