/** The texts of the player. {n} stands for a number or a name. */
export interface Strings {
  player: string;
  play: string;
  pause: string;
  replay: string;
  timeline: string;
  timeOf: string;
  mute: string;
  unmute: string;
  volume: string;
  captions: string;
  captionsOff: string;
  speed: string;
  normalSpeed: string;
  pictureInPicture: string;
  fullscreen: string;
  leaveFullscreen: string;
  loading: string;
  retry: string;
  errorToken: string;
  errorForbidden: string;
  errorMissing: string;
  errorNetwork: string;
  errorUnavailable: string;
  errorFormat: string;
  errorMedia: string;
}

const en: Strings = {
  player: "Video player", play: "Play", pause: "Pause", replay: "Play again", timeline: "Position", timeOf: "{a} of {b}",
  mute: "Mute", unmute: "Unmute", volume: "Volume", captions: "Captions", captionsOff: "Off", speed: "Speed", normalSpeed: "Normal",
  pictureInPicture: "Picture in picture", fullscreen: "Full screen", leaveFullscreen: "Leave full screen",
  loading: "Loading …", retry: "Try again",
  errorToken: "Your access has ended. Sign in again, then try again.",
  errorForbidden: "You may not watch this video. Ask those who gave you access.",
  errorMissing: "This video is no longer there. Check the address, or look for another video.",
  errorNetwork: "There is no connection. Check your network; what you have watched is kept.",
  errorUnavailable: "The service does not answer just now. Try again in a moment.",
  errorFormat: "This video cannot be played here. Try another browser.",
  errorMedia: "The video is damaged at this point. Try again, or go on further along.",
};

const de: Strings = {
  player: "Videoplayer", play: "Abspielen", pause: "Anhalten", replay: "Noch einmal abspielen", timeline: "Stelle", timeOf: "{a} von {b}",
  mute: "Ton aus", unmute: "Ton an", volume: "Lautstärke", captions: "Untertitel", captionsOff: "Aus", speed: "Geschwindigkeit", normalSpeed: "Normal",
  pictureInPicture: "Bild im Bild", fullscreen: "Vollbild", leaveFullscreen: "Vollbild beenden",
  loading: "Lädt …", retry: "Noch einmal versuchen",
  errorToken: "Ihr Zugang ist abgelaufen. Melden Sie sich neu an und versuchen Sie es noch einmal.",
  errorForbidden: "Sie dürfen dieses Video nicht ansehen. Fragen Sie, wer Ihnen den Zugang gab.",
  errorMissing: "Dieses Video gibt es nicht mehr. Prüfen Sie die Adresse oder suchen Sie ein anderes.",
  errorNetwork: "Es besteht keine Verbindung. Prüfen Sie Ihr Netz; was Sie gesehen haben, bleibt vermerkt.",
  errorUnavailable: "Der Dienst antwortet gerade nicht. Versuchen Sie es gleich noch einmal.",
  errorFormat: "Dieses Video lässt sich hier nicht abspielen. Versuchen Sie es mit einem anderen Browser.",
  errorMedia: "Das Video ist an dieser Stelle beschädigt. Versuchen Sie es noch einmal oder weiter hinten.",
};

const fr: Strings = {
  player: "Lecteur vidéo", play: "Lire", pause: "Mettre en pause", replay: "Revoir", timeline: "Position", timeOf: "{a} sur {b}",
  mute: "Couper le son", unmute: "Remettre le son", volume: "Volume", captions: "Sous-titres", captionsOff: "Désactivés", speed: "Vitesse", normalSpeed: "Normale",
  pictureInPicture: "Image dans l’image", fullscreen: "Plein écran", leaveFullscreen: "Quitter le plein écran",
  loading: "Chargement …", retry: "Réessayer",
  errorToken: "Votre accès a expiré. Reconnectez-vous, puis réessayez.",
  errorForbidden: "Vous n’avez pas le droit de voir cette vidéo. Adressez-vous à ceux qui vous ont donné l’accès.",
  errorMissing: "Cette vidéo n’existe plus. Vérifiez l’adresse ou cherchez-en une autre.",
  errorNetwork: "Il n’y a pas de connexion. Vérifiez votre réseau ; ce que vous avez vu est conservé.",
  errorUnavailable: "Le service ne répond pas pour l’instant. Réessayez dans un moment.",
  errorFormat: "Cette vidéo ne peut pas être lue ici. Essayez un autre navigateur.",
  errorMedia: "La vidéo est endommagée à cet endroit. Réessayez, ou reprenez plus loin.",
};

const es: Strings = {
  player: "Reproductor de vídeo", play: "Reproducir", pause: "Pausar", replay: "Ver otra vez", timeline: "Posición", timeOf: "{a} de {b}",
  mute: "Silenciar", unmute: "Activar el sonido", volume: "Volumen", captions: "Subtítulos", captionsOff: "Desactivados", speed: "Velocidad", normalSpeed: "Normal",
  pictureInPicture: "Imagen en imagen", fullscreen: "Pantalla completa", leaveFullscreen: "Salir de la pantalla completa",
  loading: "Cargando …", retry: "Reintentar",
  errorToken: "Su acceso ha caducado. Inicie sesión de nuevo y vuelva a intentarlo.",
  errorForbidden: "No puede ver este vídeo. Pregunte a quien le dio el acceso.",
  errorMissing: "Este vídeo ya no existe. Compruebe la dirección o busque otro.",
  errorNetwork: "No hay conexión. Compruebe su red; lo que ha visto queda guardado.",
  errorUnavailable: "El servicio no responde en este momento. Inténtelo de nuevo en un momento.",
  errorFormat: "Este vídeo no se puede reproducir aquí. Pruebe con otro navegador.",
  errorMedia: "El vídeo está dañado en este punto. Inténtelo de nuevo o siga más adelante.",
};

const languages: Record<string, Strings> = { en, de, fr, es };

/** Returns the texts in the first available language, else in English. Texts of the page take precedence. */
export function stringsFor(tags: readonly string[], own: Partial<Strings>): Strings & { language: string } {
  const language = tags.map((tag) => tag.split("-")[0]!.toLowerCase()).find((tag) => tag in languages) ?? "en";
  return { ...languages[language]!, ...own, language };
}
