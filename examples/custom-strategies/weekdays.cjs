// A custom strategy as a plain object, in a CommonJS file: it needs only a name and isEnabled().
//
// Strategy "weekdays", parameter "days": on when today is one of these days, for example "Mon,Tue".

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

module.exports = [
  {
    name: "weekdays",
    isEnabled(parameters, context) {
      // Clients may send the time to evaluate for, which makes strategies like this one testable.
      const now = context.currentTime ? new Date(context.currentTime) : new Date();
      return (parameters.days ?? "").split(",").includes(DAYS[now.getUTCDay()]);
    },
  },
];
