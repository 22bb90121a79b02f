package broken

var x = missing
