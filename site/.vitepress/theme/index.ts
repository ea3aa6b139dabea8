import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import '../../../console/style/tokens.css';
import './style.css';
import Tour from './Tour.vue';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('Tour', Tour);
  },
} satisfies Theme;
