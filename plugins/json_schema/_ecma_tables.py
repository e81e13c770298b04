r"""The code points of the properties that ``\p{..}`` names, of Unicode 17.0.

Made by ``tools/make_ecma_tables.py``; do not edit. A table is a list of bounds: of the first code
point in the set, the first after it that is not, and so on. Stored are the differences, as numbers
of seven bits a byte (the last one below 128), deflated, in base 85. The names are as in
``_ecma_properties``; ``scx=`` stands before a script whose extensions differ from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["TABLES", "VERSION"]

VERSION = "17.0"

# fmt: off
TABLES: Mapping[str, str] = {
    "gc=Cc": (
        "c-mu7h*tyv0Yd<x"
    ),
    "gc=Cf": (
        "c-m{!W$X%K6Ju<2U^HZGW?%|noTts$U&AWJYRJmS)x4LVv9XeQp(7(d<FO=xrU?lwEB!e(++|~wO8@|eP!6p"
    ),
    "gc=Cn": (
        "c-mD|OK)366y}_H&z*a3oH%x3$B!7tX&fhQnzVT|L}_W=R4r9dsYxJI0a_}7S}IXhJk&^ICv7DJ3#h~nBo=HCOBS#M"
        "wygOB{0t;GW2*?}-kCFx^Pca_qYqJX1pry-#n8Z$$Y5C)xs19AtmCcZ3@%^_69^EAn(%i(BVrCngmE-9=NdSIz;Tk4"
        "d~k;0BN0Js#z1iZm9Y#AFc_Q*v@~Z3DMzOi&7bKFXF)Ghtgm<2B1lrgi5UPHDP)d|utNusjEb0~^Du-#J6A{}d4*Qx"
        "`ujHM8=QzBLv~$|ScKs35Eh6IvoZ1wP!WS9D_UA)ZjG0wf=vNqH0DvzsK6qxZb6+-Lmg6xr+hnbVD}@^9TLfLhWg~c"
        "s}xpgd=aaxAUi1WsKj<v&WxFC-wkv(&`K){a#ziYwyl8Ujst6=h+4cLBesEOp@b3fBsh;Q`x5wuUS}!W5VIKRS#g*n"
        "wGHYT2Cagp$h8C|j9^ImEpS+bnAMWW)H{Au$VH={XR&)A=K8*`C``tTg8zR9wF2xq-zjWE2XBj6xB(q=0{owM*s|&F"
        "W&MiwZ)De*l`FcfoxC5F*;R=6BrKZ*E#4lRu#&uzea-9qfa3h4?(%$r|8^JOZ73&10YXv(T#jtDDHmY`I2YjQ7Qt_@"
        "zBpYtDX;<^6zH5FgGucZ!T228p`hUSyvGt-NGEvRl*Ozl!xT@NzD(xoyv~p5rN~h_0<xk3WlOHRY;snQNoaz(Ajw*b"
        "wgL07rOgR4A|_c;6dNl%izjKN>847^xK&1NR;Rf$r&$S$qM*1_+n1IX<3%;Et!%K8M!#JlwG44cYBM>no4G<`BAYi?"
        "$-(m$a9mk=3WoKx*@tX2497S6NFm=Mc}7^t|62=$H>!nzbfE~JBC;W0(0~EuL{VdD4@7xOTi-a1joO9C%6Mdr5R;uK"
        "V#@P=b^Ycwrzy{xgvwMO&e*mlI7P)ReJ#GEY)9|Z5-SbNL1Ig+O7@dW!GjhHh71KKiB3_M<bR7>|6p8YV1|{hLwYiP"
        "Tzuz!5RpIs^vc`ulaBqSC=M_FxVrXP`*2lN!19;D$}&pZww59r6(hY9Yrg%u7{~F}WxlF1n<7%?r_N0E%@2Nk$otWE"
        "pHHDg!6#hz+!y>k5i_GK>aX|wL)Kf8`81QxW8U0f_Ydqe`g5c0kFzf8UNz%hU5AU|5eiQfxPIxLr9#w1Cn#-%JAzgB"
        "73|jWXd@MnKH08F>8~ruU_bL>V-oJoF@iG3?q(&kCZM<7^qpA_ezO8Oy6AmHnh22KFW}J36;7OwGUu<n;LmX=hU=l<"
        "5(_msAP`EvzyGX-Rfv}N87ySzl@gFy!fw*yH(g2(ND5Qd&##o?7B^I?(ia}@vJ8uve@)U`kvhIY*K<sl(Q!=7bazK5"
        "7_*425<rG%(<(m#x1Wga@B7tn%lJcrKQE+*cfYJ1mOp*#yUXI2=J#JIDDV5{{Jq{^L%qKbF!X-_ZqS$W"
    ),
    "gc=Co": (
        "c-m_|z_5v7M;}A;|2ifh1^_nH2R;"
    ),
    "gc=Cs": (
        "c-m{;z%YRU00wjc!~"
    ),
    "gc=Ll": (
        "c-qZV!Ab)$5cSRMCfRLOSVe5Mhf+mc*26;Wr5@CSdJ_BvFaCk(#X|%|F9i{M^auPCKgTaHNiFEMT5T!#*bVcN%$s3&"
        "In^Cxt5BE>G=~2soykW`fm<!3!I}Tq#Y8MX!}7!R$Zatuh9oZ$4EO<Qv+pID6QpY({!Tq~{SdW^@l~Sfr%jkKimZ2("
        "6W?5l2eSR1Z|%;bd4_+8X!aG9h?PZuT_EKVf`qjNNCjlKVjEp2*2s+18pzt&9t3FPDK9>34(}|22xmVPlD=AX!#UHu"
        "E&VC^r`tw;W;|t^>Z_T9KI733tUR`0#6!?F`L>;hkvuWad$JndW%~Yj)2MZmR<H;O>T>I9rPpbgm$}AH&Ac9JEs<!g"
        "ot{KRmr<|RAav;my4x|9g?PMZz5~#4BJl"
    ),
    "gc=Lm": (
        "c-jrhJ4?e*7=U5kFXtp2@B}f~E`p`h3rfWfuBNNFbg+xiiwd!zi*7<dzT^}MQXB;bXMdIWPt<3Amd6`rEwu@t7E3)v"
        "3$!Pd7sED=2<@PIG#5M*PFP)XN4TLL#d?%`x;x7Oo^}5|6MaB)>M@7bawU^Uzgsldah3AOmOQx;Z5Aey|I$Jo_iW0o"
        "ap+e}U*6_12e{Xa4%L{?4E-ofT}Jy7cKuKwmEY2kAU}gsJxgBtgp6>`AG&-efd"
    ),
    "gc=Lo": (
        "c-mD{OK%%h6wY_<z4N%9@p#6M@gp;KV#l=|r?%T9%|oIoDUG6_rV>&m5UNOc30g&s3hDwjGqxZCu>mBONEKqo3bBA?"
        ")os`O9nLr^Qs>Ux(VRKoJ?Hz*ImrMX(gjGF+@o)H8d9#cpxcBGfhuW1C;)NvZVuI@a%E66bE*on(BIt@2w>`hCoLkX"
        "zyyR8?Clano-`~&UfL;JO$ii5!G^%4O=WnGLgZfI=eC&99(=$M0+Pc6BuEJ1RIqL_Iz&OBF2JA|^3tN`NVa+8XA$~Y"
        ")=F5SYN$X|Ve=v8&KTqvyV;2fRo*qo2B}cCaMMDkp`NUkP%tF35M&DJIyg@cA&IH+-sflO|1S^Qyzj3R&S#IvM_nBm"
        "mKnIke2{mU!Fmt-ZETo|mO0!V-JHavazk0)4DF3%Jo2s0*d;xzcltud=Mo0f#Kn&M<>^*6v`xIWW>>HQdEWxwlTfR8"
        ";J3zw*}|WDd&zHQTs+<HS*arnn%>0ZPSVGx5GKnY5k~9zYi}5W`R5jOSc}Zjnj%{(^g{uwRA8AQu5syzRHjUoM9xIs"
        "AYNG(iQkU??Kq*FJeTPieZHT`=CXj8m-W$7`Y_m|&7SjxLSlZVu|`cXN0VqfsH4bU9_5$6nyN@lMlH9*jnUOHb)=On"
        "+&%4C>+i2S=?%N0t)yyj4#P|d3Uz2VZ!ua|bls?Tw+z~YCz(|=h(y%3u-Mq-e?>PqJ4|kLy4+vscwi8B2W>^%ew9IR"
        "wcH4ujcp>hYpq(n6LB(DTfiCTWtl0o1JsIib6!y%18t7FuQg);N5wj$iY`!Nx8X)0OClbZ*pzII`m!@FVRzNVL1V>C"
        "wui|(7VBa$qUy2x1B<Tk{9qBfXQGVU)gpq!<Y1|3W5vfLew;<>mQmySqm@V42c@#eSQpD*<M`Wp@=0?0=eJM1i?MIi"
        "er>4P!C%|)52v$jv*{oEaWKAKR>kS{-n4wgB^dpEzu!7}^1@Bq9wHu}ytJmykMf~%g>C8=k1_pnZ3*eEI2cYpY9t@?"
        "yd}p?mX%<VvXPvatOeH$$y?v;N;ER^lvSMt=Bd1VVGhXdS6B8WkzwV0w0xFN!GCr;efdG_SxkTA>7R)=JNs#Q7Jq;G"
        "`;mG+_z$^rbWi"
    ),
    "gc=Lt": (
        "c-m`rWn=<EHOAed93a5M$j_+H2mm0J0z3"
    ),
    "gc=Lu": (
        "c-nK6N)=~hS7am)FcIJrqn()v%wlF@0g*r+6HE?_m_cl2Ms`LfMkXTc1FK<XBpa{;4FH<J0^>J<f`*xqgOLqlEEA(3"
        "Bd0RZMY!x>1v{I`*npr_oKy&NCPvx<CbemvY9LRw28B%&W@OW5Vs3I^9E^aI_BL>EuyJt!0UI||goDF_g$D##xmlXn"
        "fQbf}e1Qp=nUxJ9&%(sQ#l*^J%Q&URzyO-k8NrE*iIIbu_F=*Swyg1!FG;$D@yIo@qi`wn0~bmPW`S~;vF9pQG!YhT"
        "sb7Mzah<kQr>jOIhf1RiHzPl&-000RZj=?9W~I=$nnA%qvhkF=6c~WADG&k69S$Im2^d=(jO@}t8e|tUyR;Mn$Vn=~"
        "AmbuaB>>%}AJh"
    ),
    "gc=Mc": (
        "c-ke9y-EW?6oonG&Q4|*4gL^_;7?;?g17`Uuo?v$QQHV2C^l*cM35BP$*irFwY3jo<=glQo{21bXZD<X&v)4mLm#x@"
        "z#c2}Bnxy=*|FXLaF-Q;fBl|nHCTZy8@NGoGD^$2il(Nsnb+aD`LM+Lj7NxFI(U#PER2m7>50PLU$Bk{Gy+&(IhrGU"
        "yq&RfQG<_*D3J*O4%F+!IS?H%mLV{9(Zbgr<L^|?C3_38$sLqbqdjWdHnx>D5jjJgXh}VYKg$wdu`S*dZSJGAob$Lg"
        "OK!(DSTV6^ISLM~k)~WKcNRn+o7Xp$XkN#Y!~_979#kFbOq221r@Jh~rv9zN5NkX{JcT9g1Wk;Qvg1Xj7}PhM)9xuO"
        "zK!g2vp-_|p3?h2C8H?n"
    ),
    "gc=Me": (
        "c-rgaU|M6s*dxcn$lTP;%?tn>#REb"
    ),
    "gc=Mn": (
        "c-keBPfrv<5XF73s;6gm_8+>y0`9s|P{e=>qQH_BjLBv>kf6Z}926oRG!hb{CTd7}0Wl`Vg9qcqlNV3=b^Hu|32WBr"
        "Nor=g>b<F7_4_jiy>qUYOaq`TbkpWw8GD`)3B82+*ml}V5>yol1n!zFCsS247OX&Hh4>t6XhAhbg`*&spj1)>bqdn#"
        "-GOSmLlG>KSs^@A*3m{Db0%wQ;sly~t@U#vI97O`OZ=}~Ll<6vEzsxVT`)=g8pn`b3q_cNOEI3{iCQVi5vr86V2=?>"
        "I9ZX?IjOO3YnAXZm?oGuy_dX*SE5W1N!YfYTY%3*8AmyyS;PhAE82uv*gcu#*|6>)i<V;b(u&DY6%^nzYhmcDo@^A1"
        "O#bVkgaRHlj;Hh)!{1G4uE7oV%GR-Bgbrbtqh|}a9FL?k(nQAX3ho+uGLIP7al;%)XUwJ;BkUU)Mfl#t$xgXkK3zxH"
        "MHqCSA~66uDYiMm<F?*$y*AgQPCBb^ajSIIIOJs3<UQIl?hxNbp7TjgiHBn9Mu`YDNIYoB1ruIeCo1&u7Wp8~S{=rw"
        "4bUnW_BFCFmTg$=Q}hL}mqmr^NdorHWP?U1o2jCan~Z3KOd`sRO(k@!F(9mYV}|=f_FpFW#@euG{JWVUdfRp$=ADr@"
        "^PhW&N`Ja}kuR%m*?*{FMeiYeTjY<O84e#eWFV%mYpBTQ<prIKQN)l#>EnjSKwsZIMrionYqa&~orXh(7nz&Q;b_Z0"
        "_rHJL3<v)JgnUd("
    ),
    "gc=Nd": (
        "c-m!+Ar1mT3;<CpMj^<m(^Uw9IE6s1Lc(d(Jz>$^<<3AzIKmU)8N7`)NYb=v+Rk*vRnUMYYD4~uqh+E*E4PGDmgo!>"
        "3~A{c4U|V>5Zjt1+OS6S9k~SVz8)KAHt5_%r88y8^n}HZD%K1RsXuBdJz6^^`N_|w`edH_^|bZln$Z*Efmh@USavJV"
    ),
    "gc=Nl": (
        "c-mW=$2=upnTcgi9it>CA9LedZLY>G0jAA9j2w)OY^(>g@*AhKG6MkFO$yW"
    ),
    "gc=No": (
        "c-m_;Vq#@vVxDBm)>Oe(!Q9Bo-WbU)$k}Yj)nO{qQOwnxz}PFw$jrvZ)#xUm$=DiZ<0sZqCfAk8*eSx&$i*ec!N{+`"
        "rOw~@s(`I=W1y}hiy%`|sI&@8mkEa?yE>;gs~B6O0uz$}lb!>o36mVNH){rm1cxSjlNVc4f_$SKmljI_dn21jQ?*E!"
        "D^s%`XIr{(Td-*3bT;-jIq}95nj$<RIg+dVINKGi8JQVbd~_N4+nsm;Rc$BG"
    ),
    "gc=Pc": (
        "c-o6++#k;*%-Fm;j!A;KF`p3tCO!l|"
    ),
    "gc=Pd": (
        "c-qrt?22JDW}M^5*uly;fs<_xBO?=|JQE9}3}dq$qcCGWWAkhQCRIi*#zsxXISGtSc8mb;7zs%"
    ),
    "gc=Pe": (
        "c-qrsG-i}%oNLR-$k-RhI9Zd?oROcgr3%QEW9+bFL<Rwj3UGF_2qQM&0K|%n9jZ{S4otNUTm>_fW@2idCCAtp$ta6v"
        "1T&)`m~PYpyNn440f|lv+y"
    ),
    "gc=Pf": (
        "c-m{UX51Ic$jm6iINO7fk&%UwiIE@31pqX50{s"
    ),
    "gc=Pi": (
        "c-m{!X55#<$i&3ND9Je6gOQPug^`JopOKjn05|ah`~"
    ),
    "gc=Po": (
        "c-mc%%}N|m5QROb>UQ^BZD$rHf=-M9O(r^^A_(FSMudSu2t-IsFiKFOBI4j|qG^P>?F>GF;NG|Jh4KJCKyJ3FTGXQ8"
        "obQ}B0wLniQ#g(-I1DpIZyg!RPsw{MfpME0i6;l7tv@k4Y^SnReU0GgVMF+ZE0hU_5H9cyp4O-W9kiYDBC%QA9##4d"
        "g|uj|qT_S|4a>A$+CYlLCh60<6uRQpxseT`zsW4iDpZOLMmYa4reFtFrAAy<A`wXMqLs#fPAQwR3|oW!Aww>Q@aQI?"
        "(9diLu)sO|$ZIV0hBew1>~Sh3USfn%QJ|?LQPE!fSI1OzDaWK&$2`gj^p0UI#MrgUTXfRR^sDw4Vd|P{Yw0<mH#*Oc"
        "s`%H`ZgPe&6LBw{kD@2A>(NuG=i4xf6$qKwIQFs~f&1?53l7{2dyehg=5W_>_XVGS(;Pmy47Uvl?=-Yv536`OcK2QM"
        "_xTs3ib3)"
    ),
    "gc=Ps": (
        "c-qroG-8xzoNLF($k-RhIH``2nNf|=oROcgr3xq{$JhaqL4W{81vtA|gb^EX0AfYP4pk^ul2HhzUI(s*8A>xTHqTOI"
        "Yz$|VMKgq%Q4mZwYJuIy3{(jK@Fxsf"
    ),
    "gc=Sc": (
        "c-m88tYzuUWUOXvE@A>AcE-k1#wK>g7FWi}(u@;bl$!d=7#mkRGv+WhN-;J@GchymFJozLlVhB0zz6{3h7bh"
    ),
    "gc=Sk": (
        "c-o6&WMp(_WMgDuWM*vPWZ~gsWe17~mNN1&bulrnGht+8=4R#vL8gT=OpR}n#W|VMnc4$@@{J4J1ly{CsvDIUn_q~t"
        "0svtc3}p"
    ),
    "gc=Sm": (
        "c-qru6kxVxWMtH3WMNcglxJ+MV{GAP-eS$j%c#!G%iPG#sLsm9=)%g%#KOn~gzSv+OiV!a@=ZJnOi_$-k{WEyp^Ti2"
        "W*qs9O#!S-@>~K<42{fU_AClaO-u%&Ol-~bV;I{k7#W!xRiJh?GBdKV%vNM-Zc1S64`7r8T8oO;=`c->;{*WSHx)h"
    ),
    "gc=So": (
        "c-kG1%}*0i6vcb)ee>qc>r7`FXo*c|(F6)f5km;21kA+51X%#pgb%|)!pF|YLdC#>+}9b@sEKY^x?u0hf6#~btj_t}"
        "+?yPk0YL%yJcP4!O|k`xF_H@u4EF&-8W089#vDc=rvQ^4$NflPph1C>=Tx5C@)gRLkjY2x$VSmOzCTPBAg%wedt0TN"
        "_rNMe0eR{bqC-AG$HhjCQ%FO!AI$2FW_7sLls+OXn|F{;y<YArMde9@beF`+sdlIIxP^mQc3YW3LNPoew?oQK%|ysL"
        ")wV%8WxJ`%|K_>;$@(`(%KB%;I?LUQ%)QNWS~l}MIsrpbLT(TZ>cmJG3-jMEso2IBV}73DSHq~f+-|A>a<_}$$8v6&"
        "M@xDl&EC9UlaIDbYXLVYY^(LgGls10eVr>ReYI#%1O3>*?I8pxhdp%?r<5Ya^n^TInM`^r3aO^0C09Xtz;#YoUh7yP"
        "jn#^=de*clR`k^En;Iot<$<p<^N|f@42Kr~0JnEVGy"
    ),
    "gc=Zl": (
        "c-lLl!3Y2XlmO}"
    ),
    "gc=Zp": (
        "c-lLl$p`=fmH_J"
    ),
    "gc=Zs": (
        "c-m87tY=&u&p4@`TZK`dalQg0040C}-T"
    ),
    "sc=Adlm": (
        "c-m{f#Nfli#li#t3$g*a"
    ),
    "scx=Adlm": (
        "c-rfcXH;O^!pAtfkg@Hnoev8a3ljh`h6J|"
    ),
    "sc=Ahom": (
        "c-m`O#~{tb&ms;03B>_="
    ),
    "sc=Anatolian_Hieroglyphs": (
        "c-m|2U}$j%00s>K*#"
    ),
    "sc=Arabic": (
        "c-re>U}a=u<YQ!JRAA)dmSW6dR0=R?EKp+gW|VDy640E-)F_}JP{7LA$UZMw-kFVqQ<1HC9|H@cG$Ruu2yrp8FaiM^"
        "gkl651QCY;5RZkC9ViV_z{M!Y%FM{hC}_e20PfBU%K"
    ),
    "scx=Arabic": (
        "c-re>U}bC!XH*I>Xe>}-^=6b^=g&C1kg<6dUn_%xKmkyay**iGT8g|g8waN%Tk}2!7Dj1CCPonAVq{?i0yYT6$jA&8"
        "hXD|eg^?X74N}0xD9Fmp$jT^a!UO=0j}1!"
    ),
    "sc=Armenian": (
        "c-reSRAVw?Vs3uT%nASxngWp"
    ),
    "scx=Armenian": (
        "c-m{@U~JJ)V=`i5Zhp<o3IG<#0}%"
    ),
    "sc=Avestan": (
        "c-m{3#$d+G4gdzb0b2"
    ),
    "scx=Avestan": (
        "c-m_;XS`Lx)V$NrjF}w(9E}6m"
    ),
    "sc=Balinese": (
        "c-q^>;LB(P00gc9Hv"
    ),
    "sc=Bamum": (
        "c-m_^s}RxL#L;3202AW_k^"
    ),
    "sc=Bassa_Vah": (
        "c-m{d8X(8S1^@{00nq"
    ),
    "sc=Batak": (
        "c-q_UV8X!y00l?^H~"
    ),
    "sc=Bengali": (
        "c-ouHz{1GE#Ka`V$j->f%)-P8WV3KEvM@2SGD!je7a{=@"
    ),
    "scx=Bengali": (
        "c-jrdu?c`M5I|A>&xvO#h@i8$gyW<YQl@qS_cXlbwTr&FdIqWP%uvE*Jd%*f<GTTc93-$jZ{-JvmIT8"
    ),
    "sc=Beria_Erfe": (
        "c-m{dt02iF2>=LP0k;"
    ),
    "sc=Bhaiksuki": (
        "c-m{(!NAF=%gDzi3jhr-0jd"
    ),
    "sc=Bopomofo": (
        "c-m{tV!9)#U7!E}4O0T5"
    ),
    "scx=Bopomofo": (
        "c-m`qXJlmNWfWk#CCbdg#mLLW!o<kN*yzm2sa>GZJd>5FNs1K!Sq24V"
    ),
    "sc=Brahmi": (
        "c-m`Oz~INC!pR5#3Y`I^"
    ),
    "sc=Braille": (
        "c-p(b(8K@$1V{l>"
    ),
    "sc=Buginese": (
        "c-q^-Aj8B200ZLy)c"
    ),
    "scx=Buginese": (
        "c-q^-Aj8DeG+&<)01JBpCI"
    ),
    "sc=Buhid": (
        "c-mX%AOZjap#cK"
    ),
    "scx=Buhid": (
        "c-mWM%ET!G00e6R0{"
    ),
    "sc=Canadian_Aboriginal": (
        "c-mXR(8|za;MUS?B>(^xCj)r"
    ),
    "sc=Carian": (
        "c-m`eRWJkq1QY>V"
    ),
    "scx=Carian": (
        "c-m_;XWXyE$iz51n6Y_9o*@7rfCN|"
    ),
    "sc=Caucasian_Albanian": (
        "c-m{}GBDw01ONv^0e="
    ),
    "scx=Caucasian_Albanian": (
        "c-m`YVblS_mgYbcZbkqR+yZ_"
    ),
    "sc=Chakma": (
        "c-m`O#9+!O1ONv60dD"
    ),
    "scx=Chakma": (
        "c-ots#?=$R)zWBY$|wW?8ju5R"
    ),
    "sc=Cham": (
        "c-m{a!eGwH$Hc|N0ss!Z0k;"
    ),
    "sc=Cherokee": (
        "c-mX85XQvTw5})s01mPP7y"
    ),
    "scx=Cherokee": (
        "c-m`YU}j`wV-jQHW?GOJ#>CdNt|$Ni9rgql"
    ),
    "sc=Chorasmian": (
        "c-m{3Zy*Bz1Z@Fu"
    ),
    "sc=Common": (
        "c-jq6OG_JJ6wSH!&V2J8r%4n?i9@Q!f~iGaD5xYNxUdCV8ho^<3(=(rp*t6MCRWA&;Kq$hu|KVUzz+@_I2<^ST0eL5"
        "C8TgBFoUY!aU5z4;ll+my0MgiQ9!3L5-8~52vt+cHXg5dmvoPShi`~s#Cn<V*NNx=A%{q__SU?WTudSR#B!UDht0d9"
        "tc`}G!KijpeQ4T{$<!11MT}$8`dBgV<4bSm`w|Xy;a{((Z?*OX>s+8iXn`t3Li+rJbUzsXh&n{;Kw&q80lL&PFo9DN"
        "OPBrqc%`f7Q|13zdHSt4T&=njX?8l?&_6+kwm9?1v}98Uji?bF_>*b|*aeXV2_jp~pbsI>@-zevzy{?{Draf=<$CAq"
        "=I!>PoJT38_CMS3^I8sy7sWS}xSHP`amF$0u^S1}NY=c-UGQ2I2_=4~JoFNZIplRf#;h0^JLU5A-bL%|9fB`A_y"
    ),
    "scx=Common": (
        "c-jq*O-sW-5Qh8CZZ_#=(-_+{C6#_rtwL4&I8?Bu6~T)K50<J3_8@u|inl78q*Ofn1H1?xMgO4749qahyz{)dQ7qzJ"
        "C=jd&b)+K(2{0fJKv)))ULZ`H&7mjAINooOhWxXmsA=}4Ike$27k<zhY=DtK6~Pwci@5BD%SMvRW~617i%=m6ZlvP0"
        "Wgd7YLS#Xujy+#--IUg}j=$kh|2pvlTV9|*`l~I=At@BWbrEP7Sn+DZmR7pz9c-r`OwU<*C?Y?&n;q+C*`Wao9I|V?"
        "ug4`-Qj@B!?J>?kWRkeC3PU^sC&$z^Lu47hHj+z9+O+@ubb8)joOJoU^2vvfb*XoHG05xkd?a+dyk-IOn7$E;!+`f3"
        "DK?!NDNcoaC%JM8<S~~W0er;_rES0;f8GRY(|^^KFoX"
    ),
    "sc=Coptic": (
        "c-m`E;=3qN!paT+4Fm#N"
    ),
    "scx=Coptic": (
        "c-m_;XKe9cWM*Py%wfvmyC_h?%HAZ-*u2t11^`P21_1"
    ),
    "sc=Cuneiform": (
        "c-m_@z|bz0me0t_-RJ@U8t(&<"
    ),
    "sc=Cypriot": (
        "c-m{3z`(}D$f(1}#LURV2mlaO0aX"
    ),
    "scx=Cypriot": (
        "c-m`eVqj*`W#;U4U}Iur)L~>|W@KUn03_}LQ~"
    ),
    "sc=Cypro_Minoan": (
        "c-m{ZFOUoX1vCNI"
    ),
    "scx=Cypro_Minoan": (
        "c-m`eVqm(<mka<2%>q{"
    ),
    "sc=Cyrillic": (
        "c-re=Xk=w-)La+9-KfCm!?++_q49%5LgRWqrsg9Ic8ZJupr;Aa"
    ),
    "scx=Cyrillic": (
        "c-m{VVRU9@1Op~UR>sD>CWCbW+>Hv1K8*E@^V1ca85`f%Bs8w)V`@IaV5i6k0PqD1&H"
    ),
    "sc=Deseret": (
        "c-m{}U<d#J1N;G9"
    ),
    "sc=Devanagari": (
        "c-ou95Xi#MB-OMpL80*p0~Y`vX#_$"
    ),
    "scx=Devanagari": (
        "c-m{VVeD}ZX3}03pw7tDUdGteXV2BBrqK9=feQd@u?N2"
    ),
    "sc=Dives_Akuru": (
        "c-m{(#K6wP$i%_O#3;we#KgnN1ppU(0g("
    ),
    "sc=Dogra": (
        "c-m{(z+eLa1YiMi"
    ),
    "scx=Dogra": (
        "c-otk!qc?ZfvfSpn+*UO`vh("
    ),
    "sc=Duployan": (
        "c-m|G!H~_$%go8n#l!*t6~h7_"
    ),
    "scx=Duployan": (
        "c-m_;XKe9jVq}zHx+c!pHrqLym6w^5or{SB07v`;p#"
    ),
    "sc=Egyptian_Hieroglyphs": (
        "c-m`uz|axKHD4M455EHk"
    ),
    "sc=Elbasan": (
        "c-m{}V$c8p1KI&M"
    ),
    "scx=Elbasan": (
        "c-m_;XKe9hY-z62000p$12q"
    ),
    "sc=Elymaic": (
        "c-m{3pCAqZ1jqrK"
    ),
    "sc=Ethiopic": (
        "c-mXS;K|6s#LmbFBsGCp5zgahv;>mQObX0Wo72QO*%?t_<1ZyPCLjcfxBN6@XJlbyV&n$^`?Uv8"
    ),
    "scx=Ethiopic": (
        "c-m{@W1L&)$;iUQ&d3NPHGx<W&f{ma1d`573d~ZQ)5JO18Bt*4FC{i6AOwlG{4``|WMO1t<Ocvsw+K!"
    ),
    "sc=Garay": (
        "c-m{3<)Fqa%fSQy3lRaY"
    ),
    "scx=Garay": (
        "c-rgXVdP_EW^CzGP-B+mU;+RW#{w?"
    ),
    "sc=Georgian": (
        "c-mX2pvK6^%E+Y6$TD3(n~8aW1DFp0C@}*E"
    ),
    "scx=Georgian": (
        "c-m_;XY34QoF=Bm$jHjbWH4Pon~AwyigBhYSfGiS5ddsB1&j"
    ),
    "sc=Glagolitic": (
        "c-p(ckkIyAft^v1iJg&&kre<W3Ig!"
    ),
    "scx=Glagolitic": (
        "c-m_;XKe9iWMpirV`O4%Vq~0F$T%;Kak^?kb24M&2W`fd&jRd>f=ui{Syll2*9vO"
    ),
    "sc=Gothic": (
        "c-m`eGmr)V1R()d"
    ),
    "scx=Gothic": (
        "c-m_;XKe9dVq(-_Z2n&-4FDO{1Je"
    ),
    "sc=Grantha": (
        "c-m`O#=yeJ!NkNQ#>mdd#K_9T31l-fF|skTvNN$WvjPAs&jFw"
    ),
    "scx=Grantha": (
        "c-os3$Rx<r%D}fUhLMp;j+vRMy^OK>2|o)X2NM&M7$Z9)6C*1l7m&@&#K^|T%Fe{j%sL~QiIEWi_3#Fh"
    ),
    "sc=Greek": (
        "c-m_#U}0otVqs(iB1T4LAQoY?=M&hZ#%jdM!WzQZ<RHex#-s+s9E=bk&t%HT&&bEb#wg6h%*ffK&e$}?j<Iodl)oTj"
        "^MZIc06rlKXa"
    ),
    "scx=Greek": (
        "c-m_;XKe9cVqydVE=D~@CPpm|CKg6U7LWil5Q{L{^9gKHV>M!BVGUt!vJ+!sV^RZR4n_!&XEJ5vXXImIV-#j$X5@@x"
        "Z1iAknqtS;xH`&Tkg<6|yc+<xybI<"
    ),
    "sc=Gujarati": (
        "c-ouF$jrzI#A1x>j7*HIOk6-VGZP~}3lk4JI{+7j0Tu"
    ),
    "scx=Gujarati": (
        "c-os3$Rx<rB+bmo$;iwo#>mdd#K_9T1!OZbG4iu8@vyTu?K0p307Z`jiv"
    ),
    "sc=Gunjala_Gondi": (
        "c-m{(mB7Zx#Hb3yZ0uYB7T*Es"
    ),
    "scx=Gunjala_Gondi": (
        "c-m_;XPl_R)Uv#ajgg5_6^Pl`xd1WX184"
    ),
    "sc=Gurmukhi": (
        "c-ou7$jr#b!o(!T$j-<Ff=rBztUx|9Gb1|-BO|*Y02*5X3;"
    ),
    "scx=Gurmukhi": (
        "c-os3$Rx<rD9y~s#=^uT#>mdd1cFSAjI2ODGczMQ3nL@DVAF0(E&xnU1B("
    ),
    "sc=Gurung_Khema": (
        "c-m_{#9##g1egJW"
    ),
    "scx=Gurung_Khema": (
        "c-otk%GkPI$_fAq_X2?"
    ),
    "sc=Han": (
        "c-p(mAjKHT(-@}D$jB(k$;Z;}vf06*aS21?CWfXwrmV(S985gyO$#`i&L$`<l4DxS$F$3kza?+7Qj1)7(lT$>Ls|fC"
        "WfWi"
    ),
    "scx=Han": (
        "c-m_;XT0qp#Td!c7$zma$jrzKf=rBToQ>9ujUoaHYMhJ)8Wx89JjRR>l3c6_@{F4u92%D}^f7QWF0N?GW6EmFW@?gR"
        "ZG2F}#KYcrEK_K29Mf#Qrn3nOi{zNr@-gi)<ZsEFtkfdcowUrG^^g_-dFLI}"
    ),
    "sc=Hangul": (
        "c-mXU(8RDukEw|<u29}lzVU6MY%BA16&`UG!}BWg%xp{`$P56^vk2J"
    ),
    "scx=Hangul": (
        "c-mXU(8REZk(q^yk(ZB|jj_?0(KN15-ci2sZK7-|^K}&-aTdcfo=i<rtXA^OY)l}?3;-;g3Re"
    ),
    "sc=Hanifi_Rohingya": (
        "c-m{3#h}5#1po%J0a*"
    ),
    "scx=Hanifi_Rohingya": (
        "c-rgXVdP_EW>jEo6lQGc(bnML0st9(0@w"
    ),
    "sc=Hanunoo": (
        "c-mX1APN8iVgTd"
    ),
    "scx=Hanunoo": (
        "c-mX1APxWmWB}#"
    ),
    "sc=Hatran": (
        "c-m{3m>|r^#L5Z)3fBRa"
    ),
    "sc=Hebrew": (
        "c-re0H0O|JVQYS+A;rkb$jHb9gj@hBPy)#"
    ),
    "scx=Hebrew": (
        "c-m`YXKLjz=a6P$Yks96#mLIY$jAhQTmUwH14#"
    ),
    "sc=Hiragana": (
        "c-nj57{<oj`Y*9bUWieaxv^1~5db_q1!("
    ),
    "scx=Hiragana": (
        "c-niw$jrjU$Sc6c$jHLP9LB^E#ne2@gQ-c1m5WiAsp&ytle`e4EOTR{E+YVxH3#P"
    ),
    "sc=Imperial_Aramaic": (
        "c-m{3;2_4x2>=H>0d)"
    ),
    "sc=Inherited": (
        "c-m`YC}<L8YIfn4Vr)%dSro0u#M7L@%*e~g&cevX$jsE}=Fq~!)aax*&yppZsd-kafB;{+KVxGO<ANy0rtdC#OyVsH"
        "%z_+D>~bs{?gcd#008YV6Po"
    ),
    "scx=Inherited": (
        "c-m{@XJlez<Y#7QVq_8kGKCmf8Ckjum=;CrG4Zs9nK3dlvbOLrH99FY?-CFY;A{71Y@WrW$0XjOz%0nY#4g9O;a*T<"
        "0RV2t4I%"
    ),
    "sc=Inscriptional_Pahlavi": (
        "c-m{3mLSZ^0RRWr0h<"
    ),
    "sc=Inscriptional_Parthian": (
        "c-m{3<{-wz0RRVD0eb"
    ),
    "sc=Javanese": (
        "c-m{a%;3kw#li#t3zGr1"
    ),
    "scx=Javanese": (
        "c-m{a%;3k!&B6o#3z7l0"
    ),
    "sc=Kaithi": (
        "c-m`O$l%Py2ml8m0dx"
    ),
    "scx=Kaithi": (
        "c-otk#&yz>vGH>qSK|dYXD&tnH`xX6"
    ),
    "sc=Kannada": (
        "c-ouEz{|+YD9*^m$jZbCWU;U_u>wgZE=Fbm7XSec"
    ),
    "scx=Kannada": (
        "c-os3$Rx<rCdJFh%qY&t#mLIU31qRbGqD0mCN4(i`7w-)Ol&|oM#iRT)@%T1xCDj"
    ),
    "sc=Katakana": (
        "c-niY7{$cgSRl|CpwAf5JcEymQMc(q5DOzaBNHQIlRUE#BOeO@vX%$S"
    ),
    "scx=Katakana": (
        "c-m`YWt3&S8OzMV#mFnb#>mLR6wSh%&{!bQ7@*G>(L6PmsY%Md=|KPsBReA#BV&_1vk@a73jiFa3P="
    ),
    "sc=Kawi": (
        "c-m{(#~{e4$t(*13Q+-`"
    ),
    "sc=Kayah_Li": (
        "c-m{a#GuE>2mlAU0fh"
    ),
    "scx=Kayah_Li": (
        "c-m{a#9#mb1hN5z"
    ),
    "sc=Kharoshthi": (
        "c-m{3!ob4F#LB_Q%qYvm%)-Ua2>=y-0df"
    ),
    "sc=Khitan_Small_Script": (
        "c-m{dpTf9Jx;adf5dauw1D*"
    ),
    "sc=Khmer": (
        "c-mXf5XZ#D#?_pr000ct0y6"
    ),
    "sc=Khojki": (
        "c-m`O!XU(`4*&+a0c!"
    ),
    "scx=Khojki": (
        "c-otq#?`dTfvfSdn-HTu03%!kXa"
    ),
    "sc=Khudawadi": (
        "c-m`OYGBRE1po)!0i*"
    ),
    "scx=Khudawadi": (
        "c-otk!ql|ai>vWUnKdgH03=fcp#"
    ),
    "sc=Kirat_Rai": (
        "c-m{d<zNK>1z-W%"
    ),
    "sc=Lao": (
        "c-ouG$i&FV$jT@IB*mFnfh0R47ZVEr5<dX`"
    ),
    "sc=Latin": (
        "c-nK6Vw2Km<Y#0RXOw4bc2sBGBCW<|$jZXX%jo9V#L!g8$jd0e+sMnr#wg7ws5v!Uq4BFy8gq~cf180eBPSzE<9spp"
        "4k@516I9t4wHP^@*SX5Gu>k;RZx3P"
    ),
    "scx=Latin": (
        "c-jrky$-=p06<~q{#C_INzmkWs72!^(HJ}4fx*b&4a95o*1*Ifv3UdU<_&Z{$#=XnuB4AZr{pwV(gO)GV04zWg+xXI"
        "QJ_&ajKzH~9&_HRFdMD3Wmge}PAKtM2KGoL3>m}4>ojdr>ffd7&hjuy!kR0qmR9v=65U+;e$EU_;^w=}jrjvFWD{N"
    ),
    "sc=Lepcha": (
        "c-q^+V8P7K%nSeqX#oi"
    ),
    "sc=Limbu": (
        "c-q^<AkWCd!o$MI%mV-kodE*"
    ),
    "scx=Limbu": (
        "c-otk$~a$2o{@)zhlP=u2LKlQ0s;"
    ),
    "sc=Linear_A": (
        "c-m{}VQ4bv6yxFm01d7I`v"
    ),
    "scx=Linear_A": (
        "c-m`eV%P2TX)@;&<Kh4S7^(vL"
    ),
    "sc=Linear_B": (
        "c-m`eVBletViaa%V&rGyQ>q346QcqE"
    ),
    "scx=Linear_B": (
        "c-m`eVBletViaa%V&rGyQ>tcVX3=Hl1OOm*0!0"
    ),
    "sc=Lisu": (
        "c-m_^8DP-()qoKI5vv1p"
    ),
    "scx=Lisu": (
        "c-m{VVH9AzWy93?(#4?hs{tbbD#-<L"
    ),
    "sc=Lycian": (
        "c-m`eWsn5`1Hb_%"
    ),
    "scx=Lycian": (
        "c-lJ<#n^mARTcmYCjzA"
    ),
    "sc=Lydian": (
        "c-m{3q#(u02ml7r0ap"
    ),
    "scx=Lydian": (
        "c-m_;XS`L(*t|7Qij@%n9Hax("
    ),
    "sc=Mahajani": (
        "c-m`O6rc_O1i=BG"
    ),
    "scx=Mahajani": (
        "c-m_;XPl_R)3n!ttMQVUIshUJ1e^"
    ),
    "sc=Makasar": (
        "c-m{(n;;1Q1tbBx"
    ),
    "sc=Malayalam": (
        "c-ouAz{|+YXbi+`ECNhY01RIN8v"
    ),
    "scx=Malayalam": (
        "c-os3$Rx<rF2&2p%xDb6Y%BsyQuCr1#TlEX*)jtFKd1zQ"
    ),
    "sc=Mandaic": (
        "c-oubAj8B600b@o@B"
    ),
    "scx=Mandaic": (
        "c-rf6U~I0JVPXUT3lahE"
    ),
    "sc=Manichaean": (
        "c-m{3>Y&cT0{{n*0g("
    ),
    "scx=Manichaean": (
        "c-rf6U~K8AS7+e?01rU|kN"
    ),
    "sc=Marchen": (
        "c-m{(QJ}yi#>fW%49WrY"
    ),
    "sc=Masaram_Gondi": (
        "c-m{(#lX(U#Hho}2qZZ<xBwNg0hs"
    ),
    "scx=Masaram_Gondi": (
        "c-otk!ql={ik*>(QHPlkNOE#;0RSii0+;"
    ),
    "sc=Medefaidrin": (
        "c-m{d;}8u11&0Cs"
    ),
    "sc=Meetei_Mayek": (
        "c-m{anjqfjsmH_x01~bO(*"
    ),
    "sc=Mende_Kikakui": (
        "c-m{fz|iQ*Bme*le*!Q"
    ),
    "sc=Meroitic_Cursive": (
        "c-m{3tRTT6!lVZP3F85n"
    ),
    "sc=Meroitic_Hieroglyphs": (
        "c-m{3%%A`O1MLAg"
    ),
    "scx=Meroitic_Hieroglyphs": (
        "c-lJ<%h-HLNdW*1U;?%"
    ),
    "sc=Miao": (
        "c-m{d$KcIk$u0;043h!`"
    ),
    "sc=Modi": (
        "c-m`O!{Exz1po(W0gC"
    ),
    "scx=Modi": (
        "c-m{aV8GRQ+s&1m3ji001Bn"
    ),
    "sc=Mongolian": (
        "c-q^*z{JGJD8d%WuHF3GlotRLZUY<"
    ),
    "scx=Mongolian": (
        "c-q^*AjKBRuHDbVI6shym8JPi2rmFDa|D|"
    ),
    "sc=Mro": (
        "c-m{d;vmn+#li#t3_}6R"
    ),
    "sc=Multani": (
        "c-m`O%D~RZ$jHLT&&Uk`4fz37"
    ),
    "scx=Multani": (
        "c-oti#?>-GfSr+%k%f_;ksAOUcLGx"
    ),
    "sc=Myanmar": (
        "c-mXQ(5TR~$w59*q47q52mmIJ1rq"
    ),
    "scx=Myanmar": (
        "c-mXQ(5TR~k&m&_P(D$i@kW3M05X~dlK"
    ),
    "sc=Nabataean": (
        "c-m{3$RN+b2>=FZ0Y("
    ),
    "sc=Nag_Mundari": (
        "c-m_}8K4CK1w{eN"
    ),
    "sc=Nandinagari": (
        "c-m{(tiZvf$HWZ)3YGz#"
    ),
    "scx=Nandinagari": (
        "c-os3$SB0r&cHRll97Xvov~?}DO=;CEDk0;CT;*%zXll"
    ),
    "sc=New_Tai_Lue": (
        "c-q^{pu-}?#?8zG00?6N6a"
    ),
    "sc=Newa": (
        "c-m`O!4Sj93IGRz0gn"
    ),
    "scx=Newa": (
        "c-os3$h4e^k&%g$k&O`qn%@b<FtP#wDpCWD"
    ),
    "sc=Nko": (
        "c-rfCux4Tg00f8u5C"
    ),
    "scx=Nko": (
        "c-rgXVdP_EW^7ilW@2uBWyb^n7a9XS"
    ),
    "sc=Nushu": (
        "c-m{dpUBwQ%-75V02C+#Xa"
    ),
    "sc=Nyiakeng_Puachue_Hmong": (
        "c-m_}#GuQ}$Hc|L1ON@?0h#"
    ),
    "sc=Ogham": (
        "c-mXbAPWEjCjiR"
    ),
    "sc=Ol_Chiki": (
        "c-q?$U;qFD`vEx"
    ),
    "sc=Ol_Onal": (
        "c-m_}9iYv^2mlE20n-"
    ),
    "scx=Ol_Onal": (
        "c-otk!qmPaOPhre01-_B(f"
    ),
    "sc=Old_Hungarian": (
        "c-m{3$zaTD%+3Y?3O50s"
    ),
    "scx=Old_Hungarian": (
        "c-lJ<#mK}sJD8E5v3ZZ3F|RQ@8vrcD1RD"
    ),
    "sc=Old_Italic": (
        "c-m`eV^HB_1^@;<0Xq"
    ),
    "sc=Old_North_Arabian": (
        "c-m{3%Af!M1M>ko"
    ),
    "sc=Old_Permic": (
        "c-m`e3(y7t1aSd|"
    ),
    "scx=Old_Permic": (
        "c-m_;XKe9cWM$@JY|3YB{_CR+03){qg8"
    ),
    "sc=Old_Persian": (
        "c-m`eS5RT$0{{lY0b&"
    ),
    "sc=Old_Sogdian": (
        "c-m{3$DjcK1Qr2H"
    ),
    "sc=Old_South_Arabian": (
        "c-m{3lAr(p1h4^_"
    ),
    "sc=Old_Turkic": (
        "c-m{3!Qcr11SJ7x"
    ),
    "scx=Old_Turkic": (
        "c-lJ<#W*{Zv3a+@Cjb^81LF"
    ),
    "sc=Old_Uyghur": (
        "c-m{3S0Dud1n2>+"
    ),
    "scx=Old_Uyghur": (
        "c-rf6U~K6$WbCMw0ss<011t"
    ),
    "sc=Oriya": (
        "c-ouB$jr#W#Ka`V$j->b$jZbCWHYlfvw+w_02gop4*"
    ),
    "scx=Oriya": (
        "c-os3$Rx<rEX~Zw!NkNQ#>mdd#K_9T31l;~GqZr$LW`0Z#TfxdumdX"
    ),
    "sc=Osage": (
        "c-m{}G*Dqt0RRUh0g3"
    ),
    "scx=Osage": (
        "c-m`YWMpDwWAtHcX$n_iQ2_uFX#$A"
    ),
    "sc=Osmanya": (
        "c-m{}WRPRx0ssax0XP"
    ),
    "sc=Pahawh_Hmong": (
        "c-m{d#^A=q#mLSm$|?*16AuCG"
    ),
    "sc=Palmyrene": (
        "c-m{3ke~nn1f&6#"
    ),
    "sc=Pau_Cin_Hau": (
        "c-m{(>R<@~1ndE`"
    ),
    "sc=Phags_Pa": (
        "c-m{a;9vm&1vCN6"
    ),
    "scx=Phags_Pa": (
        "c-q^*#Kg!rL6dQQ5M$#9TMGakl>|u"
    ),
    "sc=Phoenician": (
        "c-m{3#2~}W2ml6C0XF"
    ),
    "sc=Psalter_Pahlavi": (
        "c-m{3&LG6j!ov;#2<ib$"
    ),
    "scx=Psalter_Pahlavi": (
        "c-rf6U~K8K7h-4OVFv&bnF31"
    ),
    "sc=Rejang": (
        "c-m{aWT3*$2mlCg0kr"
    ),
    "sc=Runic": (
        "c-mX5;LXep00h_pCj"
    ),
    "scx=Runic": (
        "c-mX55D5SRqX8!"
    ),
    "sc=Samaritan": (
        "c-ou5pvS}y00VLW&;"
    ),
    "scx=Samaritan": (
        "c-ou5pvT02x`+_~2`B;%"
    ),
    "sc=Saurashtra": (
        "c-m{a$l%7o0{{pW0j>"
    ),
    "sc=Sharada": (
        "c-m`O%#bjdfdc>vwgMv"
    ),
    "scx=Sharada": (
        "c-os3$he%9k&%&!iHVVuk%_TsniCrnW8)?FgvksX07{w#pa"
    ),
    "sc=Shavian": (
        "c-m{}2rvKu1bhLF"
    ),
    "scx=Shavian": (
        "c-m_;XKZPgFaQ7u;sOl"
    ),
    "sc=Siddham": (
        "c-m`O&0xl)1^@>^0ge"
    ),
    "sc=Sidetic": (
        "c-m{3<RAqA1Y`km"
    ),
    "sc=SignWriting": (
        "c-m{<z|hLW&&tRT01f^D?E"
    ),
    "sc=Sinhala": (
        "c-ouI$jm6jEWyah$jHRb%*evV$jHdS#>K?k(w-v%03J#LoB"
    ),
    "scx=Sinhala": (
        "c-otk!qg$n%qYYx!N|$T$i&Xf$il|R$jHIQ#l$?fma+L|o(KR;Dg_w"
    ),
    "sc=Sogdian": (
        "c-m{3XP^ZD1b6{`"
    ),
    "scx=Sogdian": (
        "c-rf6U~HL~uLS@KD*}7"
    ),
    "sc=Sora_Sompeng": (
        "c-m`O7$C{c1po);0iX"
    ),
    "sc=Soyombo": (
        "c-m{(5)cdk1tS66"
    ),
    "sc=Sundanese": (
        "c-q^};Lyat0RRTx0fG"
    ),
    "sc=Sunuwar": (
        "c-m{(?x4iS1po*=0k!"
    ),
    "scx=Sunuwar": (
        "c-m`YU}9wCWMpELVPs}(*~q8F#{~crg#tD"
    ),
    "sc=Syloti_Nagri": (
        "c-m{az@Q5N1gQal"
    ),
    "scx=Syloti_Nagri": (
        "c-otk!qmvX)wD-I7XT5I0{;"
    ),
    "sc=Syriac": (
        "c-re@;A6C5Vr~-P1^@{>0ek"
    ),
    "scx=Syriac": (
        "c-m`YW@2JuWRzfLXJTY(jbh{j@)Q`kxTP2y`S}=an3$UcxL5NsGBN@HP<#Y6"
    ),
    "sc=Tagalog": (
        "c-mXXAjZiE00Y1P&j"
    ),
    "scx=Tagalog": (
        "c-mXXAjZik$^-xfiU8&"
    ),
    "sc=Tagbanwa": (
        "c-mW+z{|+Y$OHffTLB{"
    ),
    "scx=Tagbanwa": (
        "c-mWM%B0E5$jrzD00|`lBL"
    ),
    "sc=Tai_Le": (
        "c-q?(AjiZC00kleC;"
    ),
    "scx=Tai_Le": (
        "c-m`YU}9xrW}IcrHHl4*i4_16LINl"
    ),
    "sc=Tai_Tham": (
        "c-q^dV9zMa#LdRV#s>flqyb|"
    ),
    "sc=Tai_Viet": (
        "c-m{a%HS-)3IGT>0k{"
    ),
    "sc=Tai_Yo": (
        "c-m_}>mbi4#=!&t3{C;n"
    ),
    "sc=Takri": (
        "c-m`O%V5RE1po&_0ek"
    ),
    "scx=Takri": (
        "c-otk!ql|ai>vXDn-v=u03*5tc>"
    ),
    "sc=Tamil": (
        "c-ouJ#Kg$P%*@Eb%*4pZ$i&RV%*@Qg!U_@rN-*+?wk&rw;$;K?C=LR{"
    ),
    "scx=Tamil": (
        "c-os3$Rx<rBE!VU#>~vf!py|T$jHRZ#LUdh!@>#@0ZK6Pi7t$1Y?>j#*m#8(C~wX*li7%u5dfvH2EY"
    ),
    "sc=Tangsa": (
        "c-m{dQsB?X1po>G0we"
    ),
    "sc=Tangut": (
        "c-m{dpTH=;jiH4>KCu`89lit-"
    ),
    "scx=Tangut": (
        "c-p&PAkdu8*z&u8QGOdk3xj-OF#tt&29E"
    ),
    "sc=Telugu": (
        "c-ou6z{|+YD9$Lr#0jKX*qMMN6B7#)7ds~a7eE0S"
    ),
    "scx=Telugu": (
        "c-os3$Rx<rD#gpl%qY$%z{ClpS=gC?Boh-06Bj$@f>0(#AP{E+08z&SD*"
    ),
    "sc=Thaana": (
        "c-re{FaiJp;sC+"
    ),
    "scx=Thaana": (
        "c-rgXVdP_CVszkY5;JOk<G{$p2ml^r1AG"
    ),
    "sc=Thai": (
        "c-ou8XvHc600Zd&`2"
    ),
    "scx=Thai": (
        "c-m{VVU%LjX4GYz>Tks=0{|0Q0(S"
    ),
    "sc=Tibetan": (
        "c-ouC;K8WEqRyzo$j`{m!UO;jkO6u"
    ),
    "scx=Tibetan": (
        "c-ouC;K8WEqRyzo$j`{m!gN5F1ppYF0&4"
    ),
    "sc=Tifinagh": (
        "c-p&VV8PDB#|QujbOBo"
    ),
    "scx=Tifinagh": (
        "c-m`YVgv#fNyaNY7VJ!Xi~tcl0ow"
    ),
    "sc=Tirhuta": (
        "c-m`O$>71k1po(K0f+"
    ),
    "scx=Tirhuta": (
        "c-os3$Rx<LET55wk)N??nk`r34L1)CE&x6s1%v"
    ),
    "sc=Todhri": (
        "c-m{}b}#_|1Ze?;"
    ),
    "scx=Todhri": (
        "c-m`YWMl$DPDVyXFUFRZL=ylICjx^"
    ),
    "sc=Tolong_Siki": (
        "c-m{(ZJ@)#1po*e0jd"
    ),
    "sc=Toto": (
        "c-m_}Dj*L41g-&m"
    ),
    "scx=Toto": (
        "c-m{VVQk+YEDrz*H3EA"
    ),
    "sc=Tulu_Tigalari": (
        "c-m`O&cMaU$i&E~#t5NVfHV^a696DB0gn"
    ),
    "scx=Tulu_Tigalari": (
        "c-otp#<hTnk&&@!nl)RaHDlvdJ}yQ^pnw`9gk}NKOdL!AptA*x"
    ),
    "sc=Ugaritic": (
        "c-m`eXOLrL1ONse0W1"
    ),
    "sc=Unknown": (
        "c-mD|OK)366y}_H&z*a3oH%x3$B!7tX&fhQnzVT|L}_W<R4r9dscE280a_}7S}IXhJk&~aleCp8SU@FqAhBSBSh9d+"
        "S+nL3@H1F&##Rwr`_8#DbIx}j^PPG0DN3#YAP@U7wD34GSk`4Oqbz}SyqTQB1x#TA0V2^5{x)btEC87>j)uOu296+b"
        "oGc|D>|ywkiJ&=Spg4faSq26e4E6<D`eq0zN2e5hzrYQ90hcM(#~ro^l0Y~q10W+n=C}wev;oPeh{?JLLm1GxLK-P5"
        "w5rfww*hakBZ3Y2b-`j0LcBv*B00>)C^kSv3X;5NX_2`#UYQC$1&q;HL_wnhi@d%KO+F1xNFko`-JpTlXM`OJ$#I6>"
        "$$w`ltkU=@)>%pRP~u^Q?W%$qGx>fP=&qxcR+i+hniXAJ1IHZ))<zL^cu7WV15ZN*BhpE59$o%5@GZU0Qnn#xG19Z*"
        "pg^!KdNmB58lIrg5|l84q3AckVHsl9NG4P7_+hCKjeeEK?4g+J$G)O488Zt0|9jXd!LIYY(hl_SmY9X>&@;!t|8<)!"
        "o9tTNuW0{Hew|slqPyD3dr_5Lf{0JTvPsb5t+5F!DJt1VUgr-f&p(^4$QPdT><)g|Qcj2xgsKL<9NKzYF2V?KF2K_<"
        "g5O|$dpdDKumT;FXrDNPN#hH__#C@RS;5hHj}^9%PVlCwidj*GDW0@_mHah%lONGbk)wJ9YDELdmRz=M3RaIvXoK03"
        "<gG)?fJNBW<`_8<ldLSttrecf<22KBR25|0Dx)^*)7+Vptb%1xQrxMX^UI6zqMFxMwpc}@->DHSLmZOYOwQ|eq12kl"
        "7tJLK@T>(KS5}^YVLfg3ARi6G(TzS;D7HwR5?1p6HUklknjuhKC?cqcY^WEsU?4e3)L6L&qPnfEZ=J+eV=J;U9$6#G"
        "<R{9Q@}gf|zj4`Vs<S4eDm92RwyTLxQF&Wmj?XLG(^ngbl?LV@u@zP)|H=6fL5BrLhLV#cr|6Xwe}`Lte_Z8YhE=XW"
        "dOUty{@`N}kw5$F;`{NFp8dWo4$l3uy7p!FU{%$?^4G!2DoWe6mNFX^Bm2kJeD`fJj^mvRd{yN(MWoEHy_x#EpZxxS"
        "_p{GlPN71{CtUBlulYwJW=2`m-(B+$*#43%rnz(;i{{?Czi+3}pBe3bo_BforWyC@3Y-hKP`IPO^?Ua;b)qIYL1iP}"
        "5v{T}Fl*xBMk*kEvQv}NUr~_5e&xl+B;1{2#AS}zW-YfSV1K9Wd$Sz;W(^8-(0huIh>+m7aA@WtC(TE>vln0SXE>C@"
        "@zCFr3O#ZlAoP5H{lybzAzR*8u#lr`N<eN2v!ugsxRh>?6sD}7U#Y|$Zm3tKFFoF6ITkbjmZZxfb$o@6=ZLPN<CvJ~"
        "?5a*MW)WK@f(+53Rel6+JrUU-d-Wfx_;Z54Eu;r`zG)m(pT76w1@XN7)3*w$d;TSV_vzn5{{Xk1ly?"
    ),
    "sc=Vai": (
        "c-m_^#n7Y!00!p)`v"
    ),
    "sc=Vithkuqi": (
        "c-m{}D&S`1XJlt&VuaEF95MmS"
    ),
    "sc=Wancho": (
        "c-m_}>R`pn2mlDe0nG"
    ),
    "sc=Warang_Citi": (
        "c-m{(s1VG<2mlBr0k!"
    ),
    "sc=Yezidi": (
        "c-m{3%b>-`%)|r$30MJC"
    ),
    "scx=Yezidi": (
        "c-rgXVdP_EW^~|cnINXc$jrn902hA(Qv"
    ),
    "sc=Yi": (
        "c-m_^z|hIdYz_blodOd"
    ),
    "scx=Yi": (
        "c-niw$i&LU#L*bf*m#enlb6}NajO(7064b=W&"
    ),
    "sc=Zanabazar_Square": (
        "c-m{(!r%b_1b6{~"
    ),
    "ASCII": (
        "c-muVWB>pG1ptB"
    ),
    "ASCII_Hex_Digit": (
        "c-k}IVrP?L0{{WQ0B8"
    ),
    "Alphabetic": (
        "c-m!D%WoS+80YuRH#_^ZckRUMxASn_#BrLWc9WP&t<xker9~B#MidFuqCO;AwIC`ER2<fccnHx0a704lz^z;m2RN29"
        "XZ{_&v0J2y-JPA8Z)Se;`<^>hr@96o44tBd!`C^?X#?N@jRJ@mZ~!HO8C*pcxLF4sg0p-)Co+;3ZjHGS=xvzX9k}eW"
        "@)aRok8YReJps^VDi$jy&}A3{x9f+>IF}JaaXu=-C884KO2x{KEh3npLlRmF4o}zZUBp^uf@y?T;sgqwaGS1bWyhqD"
        "=UJ9>FL3S31XsAoI6^G+l@e&O8Yogqg{(y)pM#}HP*TLom0k{7OyWAjoydKQHeJzz5vkDbU#5u+&}?+ckx@aFg&WAY"
        "Vm`P9ieA;mLEqk~QI>xZinO(Ej^}XJMVpHpqrJN&r*u5>nL2hWtzi6y*u(mSX<6F*f3rM>^4~oc#|Px7qx+PgsxPU)"
        "%mlOH%!C<*11jdky}Q@ViazhR5VDsxNe4ZyZr1rM&74F^f!Y`#54YbX_In6&TP5YUDbOpVmRU%OU3E4pE(GHeIn<Hn"
        "V*0e`)WmxVMlm@YiCxSih@GR`a<4cMN;}iNj6htd8Oib&tAi({?6xCr2&al}8^oz+@bWvihQn*B;u%ev4;+Pe!FmPn"
        "Cv)rZ(JQ}=M%mM7_XLe275g-^rd{>%agXlOTQjqmFAu^!peLuG{CT|?HB=vA9&zkzY<amts`f3fvZ9zca6~O<!e9kC"
        "=ke@6?J(tyXFPsDA9hTrbtr1-=W&03etfSmqRpl7kw#|Pl1RaIHGv?t7@{g3Cgdr%@Ob~!IB2MiwYjLNS9Fuw>_T_5"
        "W}(e(UUCOvAhx%W`n*?zaJ=P}e7EeN3vb_%sOec3Q0k{%Ye#_nk}nr_wjCOYjkOKGMz^6Fi!SQ5O<65Qg$Eb6`cXex"
        "TBwWj((JRYjrQ0%sZ_&<Tj~~0%+^xx{EGI69->OxPuN|Qlp29O>ozPFupr68XC~n$+<Y@k`Tv<^^G2JxZw-SErafE2"
        "!uy<1;~CXFXEQt7-Xv3T7S7t5a(a_+p+>n`lMRP=M=eP<i7G-97L?y}=>*xpp<18(<TZ`L#k=l1^DPgnHsUs#!XkIk"
        "^5`jhrTvkZjBrevREV@U=G05DtkgqX`LcTFVUq3raQSBbtM$aG{8ZCN7k(eEef#Fo(6o{(NwcsXb8A)?57$?-tE0IJ"
        "ReG0rXp)gI4~_T7!SdYAPyYIxC%TUp^Jqv7$+3GFe#iH8q&(v@e!Y1O7la5Vg(?*O20N0buJm<VXGL{`@!M2EMJn#g"
        "&3!UxIZk%XAfbtY^_h8mwCbA}<DF)qcX+Fw-D(oDD=m~<%5E5IXYow7e|pbWpsxpvnl-<CwyMKc7@lUIdM<zQ*qPOZ"
        "CmVbulDQhm(Ibg0r~2ck<G*jr{oJIdIr?)WfArw{g`?&-AN+DjKkNPr+vbET"
    ),
    "Any": (
        "c-mt)(!c-!15g1)"
    ),
    "Assigned": (
        "c-mD|OK)366z)0mo;&y6IC1R6jvq0O(>PArG->l_h|<!!samR_Qj<Wa0<=^DwN#?2c&L%aPTEQc7J$SKBo=HCOBS#M"
        "wygOB{0t;GW2*?}-kCFx^Pca_vBw{v<O%??(2Jpgr;x$2E^--l6IjRF$yr>$6ebWL5;fuPf=0v~kO<>wXwEfo1cBou"
        "Df!?G!$%^5){KGT04ie{7+^3s7iekD5K@j#DVjgi8_t4WrdVI^utkuhgcCCWGE&GK7h#7EAQ=@gN#|h*gLbZvM)C@+"
        "%Juhc&^I^{L5A$QAh8I+-ytjz9cE+X8=xWvNmjJ9$lMw)O$D0*#%Ro=pizNEUfqH^pN2Z55KsAb;K1&Oq&p;%;|%r5"
        "e^)82()a>aSwVJC;!%n1s+<`!*}fa-ZlaY|7UZs)6>VDq#~laOL=m-kK}Ku?&p`<z;z@8GUG_!r4ZY4%wjpLQ(zD_)"
        "M`|0?H4It>Pm^m2N*KYA^xNRD2r;WAlc{(7sE~_BKg(kGK+N@hUs0Hh83q6U4r&G1b-q*Bh7R5lvv3nS<|Oz(@3Ljn"
        "-OKtF?O)HXGb>kgTRZt6Dzj@4@kv-V30k}}Hen@sCHtD!`2ofGN8RQ50{`tEzSB@nhysM92DlvAYEv%42yiaI(=CGE"
        "V104Aa8h6eIw;UNK?alB$Aa-WwnIU|iFuDDwvbNnx+#lUQHCj=G<})O)p?yC*GrM3bOdBY1Im_MciH5u9+S`nb5WAD"
        "7HtFOVN08nWJFA|q9`_2cot95O4Ci1ka4Sw+N@4<XU?z^7DYjEr?xLIFUE^%UR&8<C5?W&LTVY}kkn>!UN>`v#zZ!6"
        "u91TmEa14Z@-z(VX|oU6Xc$gx^pQfoMe?k$lK;0B2yavi0qH^!K1F0hzMugE%88=J(jJKNmbSie1{<}Dk(Ket8X+b-"
        "QN)zz{p$Ly>rPXiH3^leKAf>_O>l~eTl#u@S=o->sU=n#n1jTYSe5K2mxBi_77Q5*P7<A>F3JBExBlU{%D@aO-GKB|"
        "{G|Bydmtiz;mfOU#ZNo-o1!?p^yBK<r|rX4RRPOi0xQcXZQELkY*dW&POka(YhoP7TUYq1%4~{AnV&i{)i>V%^%3t!"
        "-+eBH5(S@d-E*JwcSX#MvZ%k_^N(0>N#@f`I*)ntVBJ5o)9BBSwm-_ctb4_bdvyaYg-0knQQ-QedyWcG6P=*65$*_9"
        "-IuXj$D@r@K>BpMBBj5fAcOtPi;YRRKgS5l9J`y9%$k7ScGGueIrz;A<mjUJ6=@<sg1?AEGgmorKF(aY`n*5Sp%|`*"
        "eoHLW<bXgZ`TqX17FHoz-e<6op;t;kW(m7Vi{El7Js>GeSwFv0id)=JsY+jXvdc0oX8u)4Z$;|(3SG}}T}H<-G1J{0"
        "onXu&wn_jQqD`y(2;6xpy1(yNzb)er3I4p09^U(+c3A%8&F`*=Uz*>4rJ%g;kNNw(zlM5$A0YLA0M^f!@c"
    ),
    "Bidi_Control": (
        "c-rfcVccBEB*kjZ0ss#L0xA"
    ),
    "Bidi_Mirrored": (
        "c-mEuu}T9`5JkObW?tT|VGUUcDI$nfU`dfCU=c{2fABl(gmo=a+1TbA{6<Hxk>SD&%sq2w%Tm%N^^n@>PS-d8eBo<D"
        "%Ylw@ukqwoOoq8Ux8zMo%kYLAsvhxB1AWj0_?kuaduCjY-C4Mhg@;);^(%_Hs#)^V1d%|4w!plX{{mAU6kBtPr#XoO"
        "RolFooX8NC?fZ>B%nfBm+M!NEOP#LA5{ys(o=PCo_p6@&>Ibx&5a|"
    ),
    "Case_Ignorable": (
        "c-l2n%We}v5TvSSW?x>%20QOqP6&_yc{vdwi5vn*AzUCr<iazu2nQq(2nhrUNMl>#ap8avaN)#-8^6PaUx6MYJl4+c"
        "PIp&zRqqKnWH<`o5{zCA$j)=WVQ7#L@cWU!3X6pqJ)|z2M&{BCnv+&b*o%?EjO$@-<Yu;-X+8!APswRSw8`}9a;O;_"
        "NR%>1A68*Zj0%SpX9bEvil9b87M?8>x59o0jbupGIvHzdqJRbjT2HLNgtue87zfJ=N4dg(mB+A!NPrt)lqD@NNr31w"
        "M-YC?MQw&Q!(@W{Mw3Yn(MZYUdh3+o9dvi)O+&_5)3rfFF_?*_&Dcep=LDXKVFD-qCaDw<g~E(oN}NDE%R<G>L*w;7"
        "l@wUl9wBEnL|MsdOm4Vqf*eu67dFo2nAqzy^)Qn>EEa6cG{|iitm><=rF?PxbH*p~N-6Hv=g`@~q!DXz+uaubyC3gb"
        "u3bdSg!oaj&Emur49I;Wj8!*-AzJtW4j;~OJRZtsWgbEOGOE1bR0S3gtEm|ll?Z87{Sg#<`#qb;3#DV=zs<uRDR-MC"
        "L7_CE@BFm(|9^(&FvE+eN>>M`1z)vqt;0zq-A&P6%#>(_W9&A~aSW?I?KKW!$!%r}W*=wzrqzK|7L-(gO3{!>i+CLc"
        "E+wfU?uv3zj}&wa5?9r7!Ldl}rptTg7P%7#kq2;H2S_vM9~r0HNI1~k2j~^RUf2z6TN1E+C=42WNr4UO>6D`mQsOAH"
        "Ium|V<<NF6hc0ogpHcATrIYYEsPkI^5a-bz(urJBKLY%ZowDouwN()LxMA0##B>g1ik%kDm35$)^Us0NWPYt_r{8bQ"
        "a-dt6q{OIZd__L2Et^J+BKj@*-fu@J_du;(ABV3O+mF#Soqg+H(?1O))Yt@_?dW0rY0m!qqMzcfKja_(1z15^GX"
    ),
    "Cased": (
        "c-mD^%}PRH5arA_-+X%Y_H&Ud_Yx{(7t$y~-NqG*R)NsZF1Q<8we$r(Bgu{7#$^xCqx3jEL6f#=;4s6?Fz1{Zrjni^"
        "0K?YNgdc&~kLl1+!xrc;5iuZu0Z_v&e5K?wWaZ;^Jp(ML3w~`qkgTX;yJT{o=d+lEGDQj7Xwm>qZx}ekBph0;rU<bY"
        "PL!GgomtuLGDJIUEn~lBXnx*b#(pAfsJbEa-_dE*@cd*LH#LEo54zZqvH!?j)xMS0(Bf!Zw7EU4U{`4gfB9tuGU%YZ"
        "xax(y$2f@BY3@IZyp>SmzfSIP4I*qTS5=9_5Ud^?4u1cm8XabLlpxVh{YPop4^R`C*^5<l`TndTB>e&RvL{C"
    ),
    "Changes_When_Casefolded": (
        "c-nK6ielsvXXH>|Bo8nV6d+1F6Bsiyv4BWsCa5?Q6fuL?%#7?HaUv{a0tqoQk_|xi0F7XQ@f*t+wZJBFFtR}mW?~d%"
        "<P>A%0XY??*TBwTVlp-$Xdx#R!k&qdwtz{^fN`3H8Y3esW1AM+L?$jaZ6@X>2gbn&Seck;ZU-j^2OAd$5U_DWML0MF"
        "449ai*jRy>n}vrJL^o*y6Ez#7u7EIOn~_wXfdMcvz|ss0DAG8XX&)RMV9Odm`I4kd7>`^dI|`RFKX9QWUlu3_tC_4o"
        "hzeM+C4C9TwyJ=}c@FG6tR0+Eovs><94d`6+>HE;?2JskS;mdBV$-Y?8dozYI7l{raaRHW;=Uc)"
    ),
    "Changes_When_Casemapped": (
        "c-k#byGjF55apb?k7V;Qi>%qrLRN??8Xris&_Y)915${UfmHSZvA=>r3k92$et@4Ret=_iU}nxdI5X!WbJ-c94Gd7>"
        "8adk}V5W#&ABsRB46H&O_}>=ASwsvab`2>4I6x!TaVVRx2)3rfGTL7DN@&dy<*B%#duPKc4yU@lhIz=9?SYP^dJTUz"
        ";EA4r(t0s;rezg9?m+0!N4F3zj*j1wxqd=_=Z&zrIugF(gE$Ya&GULkgcd3GdtBTipM;OfH|=v>wZ3dkW<xW)Z=kbM"
        "^PgWY$F1=+iIQbjh0j@4q)fy2-qjCZ@E>^"
    ),
    "Changes_When_Lowercased": (
        "c-nK6N)=~hS7am)FcIJrqn()v%wlF@0g*r+6HE?_m_cl2Ms|=m6C*+Um_S0zjAR3lJwPK^VEiUUuz4JeY!G9a7zG(Q"
        "m4SThfEDa$CSwDF7I9J`#F-dr3z*cVd8&at)fyBwQJ9fUn~Ax}fpIVbPTJeR!NJDG0R(K^P!SFe2@Wt|<!0q(;Q^9O"
        "n!set#;7YG%-Cim)n{N}08QSE;1tEg$iYnepx^*o*7(VnBwfOI<QmygxRm*U3nk&QKsn6VGZQPC2n)7EFTvQjPFt$e"
        "RilwZrBQ~Pk)M&Bk*PP!xKUPYnw3K1Y6b-d$;L14N&q3e8{7"
    ),
    "Changes_When_NFKC_Casefolded": (
        "c-qZXOK%cU6y`hk&Ye39pwLQ{VxbfXsiws?W#OXIq>Wn>MNLfFO4KH{i7s8#m^%ffy3v@p&`tOHv-}Y*J$HCW2*FTo"
        ";+f|;nR{OMJKt<%w%`IFdr1-yn1Rk?Vi6r5owrbEqV+WJBnXoBE~sm#?rD8<l5TYL;sJ~7=Wz;gIWGH@J^hiFQ{+74"
        "_#X28f;q`f>yq%&i0LuC39F*j${!<pr%RZ|cjMm*l`1gPcpzIl`jCU&;fMv^D)Wk3b-YHImQdwNWO&4EO^$1u)VG+Y"
        "CAMJ+4QkD(w^gb;?H5sXmBfL7j})?T6t2|pKZ-+i<}p02RaCPmziZJ$=%NY<N{}ZY8R>l2tZSUNZH)<`?BrPZY7vJ!"
        "MYD+exNm2|XB;}zn+?gjl8&kfUS|rt$h@Rr&G_%;u_vA&Sg0^&1@*q>omS4-_gII)4iPLfxMJqsBGx#IUGDr2u5XLP"
        "ZVqL=jH8J8F&Rjv#^Tz@VM_b!Dt-^6>?$L@IvDP%95u+(48AuF=|SB#Uur=jq?M2hiNq#7E4eX;9bF8)S?)ZT5B5_v"
        "s+Qv-lfFPPZh(|F1H%*tvn~|bLkO4u0$$rK8(lP6ALm%5qkRX9@Q$}u&E@px8+r3BlCNDdU-#t6O0oUeP3W3x-mK%6"
        "B}*c*lg-?T4M>Kfi!2wxiLmeBE(Jwe`A}K^m?|7^OU!l|J=)<|)uUR`wGU7kyLCg_uwN$~3)EzD(|2;nXT$=Yi}*F^"
        "x%6o+dh}B@=f1yhoJ4*Bw**Fl"
    ),
    "Changes_When_Titlecased": (
        "c-l*pvSQSfVB}yV6ENZB5~Z7&3Cv<<WCf8x9uriK1uV)4C0RfWCPEGXnFl9`0GR4H7@3&Bwm|?J*ajwMkaJjpOrRt?"
        "NQjA<jg^s$sZotl8*B_Svk;@SGEf+o&8!gjn-~yw6es0T!Nf>oV5mN)fNdfZ(5a1iK<^7M7BLP&z|Klr^Eo-#xHy0S"
        "Lh><jfB`TevjGzXBNGP;6Htf?$Z85>R1{!gZ1a}tb2EUZd1&h5qC+@vfHM$}8Ymeyei9~0FFw_c>;!TXDS!(l-Liml"
        "JhpVqjmBrelHR2l+hQ1H0vhKzu=B8XXi9bZYBX}FG)i+b@`LhkAG2|-*fcAJ#?=f8){>21{FDHOX&rk"
    ),
    "Changes_When_Uppercased": (
        "c-l*pvSQSfVB}yV6ENZB5~Z7&3Cv<<WCf8x9uriK1uV)4C0RidOpJu=1FK;s(tb>J9E?mr{VXsp8`uUWW{_im4gg8A"
        "gM^rv*;pC5m>Sg>wZX<PGYc_FD+7gb*~|)YnTY{mM{!af5loCU28Qa>JhYjZTPxTmG6CJ&m<J340mdT6K?vAcX=^?w"
        "2OAd$5I{&iCR0WxQ1St$1R%}K!o<YE!3AbF1u`lMurRiHOZB-KK$AT*iE+^(96(u|g^@=MlolI536rE3pXx?-0$GX_"
        "z=e`{SwI<)30q?3M&q+!N%T^TZ83~80gdw<*m+nxG^ILyH5xfo8l|}z`9YbukJ-3ZY?_rq<7x&4Ystnheo6pu-X3}"
    ),
    "Dash": (
        "c-qrt?22JDW}M^5*uly;fs@UaQJs;Wv6+o=1`8t-qdXG}qYPuS9iuQ~K4bH20VY*OF2+Vp#yJU$O?Hd`H75#4"
    ),
    "Default_Ignorable_Code_Point": (
        "c-m{!Wo%VsZ1rKB=ET$!%oNJnU(G7TYACR<gt2+1v_NA%W1|A2KWEcVb(WR>92@SkE?@uvW#kUc"
    ),
    "Deprecated": (
        "c-m|7WbD#poW#t?$T&fhX`(Azt0mL+onedsNO}f0"
    ),
    "Diacritic": (
        "c-lRX!A?_A5QhE#Ip^Gaxwo_sNWnH>nwE$OP>?_Xi)~4iC<}@!LSkJQzz9k(u|%NBIrmoM+La64`x3r~ui#7QAu-Nm"
        "W|GMy^MC(y0FPmyK&CxAjZm8rDnzu`+IFxy=MU%;RzgK<s3@{kI*8Zf3j5*gP@&vF0iw!y;^&)xwIC0C577I+Ib{J?"
        "c#FgUuaVPFS;9>ywgue8ng4T_N>2vB5C<*!w9F~ku{eS|5Ld-mNYwL;CC_9VdCWvBTu00{n`UoPc?inV!+KRGwK#16"
        "5=-tT`Sna(1L+6zN_Am>pCj=&W$tmfawvx|Oi+U@qBOdus^}s?6?R-&>ONlTNbD`z?{$1c!3}%83z*{;23PnzZEz1!"
        "b}b6F#%#mP;I>W^FXK_XsB9Cn*ye>t+d(A9v`gIe9!vzH_dRirT?j5|FWJX?zJtrr(OYlJc!p7Qkk;V5Qg+aSJ7N(("
        "PV&F@@ujIZf^3;tWn`Cs`pUb^pO|McyCY)4kinGt#!cG}Tn`O3=yUKQI2FiWt9?ey"
    ),
    "Emoji": (
        "c-ke8yG}zf5JWYzUdOMSpd`E-1QI2QL=_skAVEQagdi;i5=~O@1HK?6zKZ{%VomI3ch2s3d<G9qYdHLLD5y`^!^)4?"
        "uW8*m4zrVbgZj#Zh${z;AV}H<VFd)jAPPWBX48PNfw4D<Lbcj4Q;jK`Hl=#Ftpol4f*o&89*H9~0yqIO=Mpir+rRVU"
        "UM9RW_Pw&CpU*b)_4|f;i+aMsA(-xtz<o@?xXXHR%1z712MYQDuCvF%fD8p}ud_267@<-mNK4_iDIVub4Rn&E{lI+d"
        "OL6FrXGo}vO($6vHoU{)(jN~%7+L"
    ),
    "Emoji_Component": (
        "c-m8DWMgFI+8@l=7|PhZOPjIzd6-mlHEXv4%Z8qu1ORp82{H"
    ),
    "Emoji_Modifier": (
        "c-m`!Ud;*s1<(QS"
    ),
    "Emoji_Modifier_Base": (
        "c-lK7%h(vrD8SM_qny!(nTe5!xs-{CTU3~tk%gI&nVpf5QG&72lZk~<l#zw0QIDCKHJDL=nUj&5vBjQ|iIIbYjgga!"
        "iP?hD7O0nzQIMIDw=tDjixU9!R|#z"
    ),
    "Emoji_Presentation": (
        "c-jq(y=nqc7zLU0ee3>sS7LN!+1QAsputoUqTL1(Qko`ZULdb<gDAe3&*d!-Gt9YlieGMsQ>jMVuwp_@p|LU*WHjUg"
        "PeP7s&XTkY-mGQB`A07aUao862XT+8&kkCqD8m}X^&*t?%)-jEFgENx1>&m?wbMS*spk9m+z&95n-7(j@i#dCPa7)Y"
        "?yt6??b7Fif>(E^C=lZ"
    ),
    "Extended_Pictographic": (
        "c-ke7KT88a5XF6OX4l=l%^hBXe-P|Uv@&25MX=M-LXdd1AlR6~I<TiGek#A0m2+mMnR##C@GGZK{EU!Mme@t-8}_fX"
        "ZHj|RrQD)CGa=$q;UWl<mLP0^Kp4aUaJk~30j(LWH;F=Lv$CQy&vDQubRN3-K>r`G^7hFivBBT~DnP}#MAX*(8{h9_"
        "%yaX;J0tygw42Z07tHi2H<qe-oL0=N!8BeRHVG3jLgSt<S6mIGyr)22S>w9$*xx2Y1_u(3%nx?%BukKiNH;_e^BWhq"
        "V=$hh(oM52Lh>i!h*??3Sw2HTxmbp}wEfoC`VU@O8sz"
    ),
    "Extender": (
        "c-m_;XKayRYRhA6wq$H6V{GJPjAU#rV611H<jiQn*pkfH%*W`$xSW$wn>C#&mbvks7-M%CW4jZh7)WgnqbO73ifYCQ"
        "0!-cBjM9uOjGgX`O{$C~OwC2io&Jn%4vdYnGMGALm>3!Pm>M5>Fm)O-wuLYQ0HdQEi2"
    ),
    "Grapheme_Base": (
        "c-mc6NpD<55LQ)JuWy@u^(=PAV|%=f7vgc01QQ&GC^?vI60;-$5|BUyBtj%WIlQq$A|W^cXOK8><H!My;mnyozz?DN"
        "jfe#A&Fg-zy6fv&zN+cooQ>e*rH>6N(g09`^p;Nh(8o;_Yb-#%ZIe{q1psU19NaOW5P`Y~&~6<C5HDLTY6KPp=mhE#"
        "AdubMV0VYr$q)$bu*EP25i7u_2oem;C=3xHf7Vz>(R9@xh~xo*^>||l8T52b3NoxKAVCT>Lq0|IYdm<=#A6oNUL^#O"
        "K<|b?Aw($sn*jcm%SwP@+$!W)Kt)zYB&Qt&nba|!HxR45LJmai<x5_|2YHzQM-ARm5H+?CP+L^m+Z+x717o6jf3k!c"
        "j}FkXBD>;{x;1QqzhdYWcmv7}4k|?RtHcwVQD^WRMf|EDfkh93lh1(Ar-*QgpV_Bh3GDLtyljbv8go=1w#1PxL`8wN"
        "5Jw=AZ3J!DA}gG7Dv(YcX^C@;df+-lD2T(RK@3m^E7VYd*hLg0$ec1N@>=nD=tvl7*$}&gYLq1bqM<>Vi1Tt8g8(AX"
        "-T@A{O!xLC6*i{NkAdmc!DrZ;n0+d;u4R_g^hORj7Lk}cpN90XQ3=Z5l-N~)ay9dMq%o;l4ga}kZ_G8|C``wVGb#sT"
        "x+9n228`_x(!W0xJ9hF$X`R4z@eq|s-z?=hT?BQM<kZOQyRa5P-_!#L+lo^~o`?|yTmW@g@&pPzH2@uUVT<XCD19bt"
        "c{G7yhg4?JS^AXuMjX_?dSR6|p3vkjzTelO<TTgV_-XMxblqIeRZc+>h$N(%(iV0^hQnNBqzEyD2CpNtI-dK2Ild~c"
        "b5LM?H5Dzfk!w=Vwq@V7VV>ea+D4~()T2eS9fTZGPyS#!i|uf-V=K<o6b!&#RBZT)PZd_-1!ISNh@2Ho+3b&~gzE`c"
        "C$yZ^R_}G^RcKF(7B*!=b8#JB-r0(_^dNMqZ)yh9!ww95mE@GM3yY=_*h+z@KU1nQQBEhC+PnziMix(s>)P3#1Y0nt"
        "Km^;o$1u@yPznk#BaoQs&t?o}%LBCzB69yP=ZxQc2?+I!^YMhf4{I`I9~-kUGXAa1QqksIs%(?*AjYNrbr$fM*z9c?"
        "FQ&k$sJQGQxZycfnrZq@#J#JU?yhrz!tIws-pQ23EQPEN!ny;418!v01h=Rd+H#u_Yh0f;x~$zb@RnYmi=DF2kGbu*"
        "mgv?qC$9LRU*@t`>@TO!6Nwv}S|OL-FCy6ldh9}V49RBnsQK<kAcJ)O`>XFnkB50x|FJ1gF8#XO4ux=EADry!4mX__"
        "!Kt<eH`Ix9d`wvukB4W{gV$vp>nm5}D2VnbmiD*tQunP-{&+x{DU(wPw7527GRNV!^nr|o<!;3*Kio<mh~sTlP4YMI"
        "olWn%1w1Q71$CRwl`jbRycCwgYqp;1SK*S+vG0_=FEj3QoFT*W4Cj$4&wQS|f|DMeZ0^ve;SQ%C-|Hwfk>}IGs?+EQ"
        "CwuJzyD#DRaE7BWZeu`@?sa@VL8G+D|3M7L<pAkLw8MS=V!bc(`&ZAU7YLfu9CK48A5Ar#GCpMTf3Ga%;GrmM!Fi^X"
        "g#0#6;uX3bCd{J*=3TlrYDFt#HO4A!JUSA25sCCQ6*4nJ8X2b+O&deP*e*=2n;0X(Et093W1-V&5#D<&Cx71R{?x`_"
        "V*Gt0Il24Y+)4YZw|~AOpA7y1i-VIK"
    ),
    "Grapheme_Extend": (
        "c-lo$TT4`76m9LjzstFdGnG2yWrnFtOw&e_ybP0uAmc-zkuOQ4l0iixgasACcN{B%=%I(`rKetc2>LtyhW<qRj6vsn"
        "INxROwbovHzddu1op+g=1VFmbP8xkB>^ZVTkV~iyZ6%9Qgo+>n!%T298n2)}rwQT(>|&~7F;5q-Au$btXaPb(#Ecp-"
        "lKgBm0KL?2kw+`GhvS%PXlib%nPUpCsB9SGDCwfA2JpZ0FfGu3mMYp1C^$SeKrZ#WpeS)`G=%({>wz+w1S1h139LfV"
        "0120*pj(R~PL}xHj0|&?YP3vn9+X6wRK!ENh!-pr!E)GA4Jz2>pyX{#XiQPsD~(uqG)k#1WarUUV&*+js4xm}IVDqA"
        "UGAg^D;K^TaVTKB-Wj)#Dg3!Bi0iaYSxJi)43I%6)8M%RM*TnnT;&FG0|_Ho(M}MhTIV%fS38J|`Y=u&VL$f~;adYI"
        "JEc-7+o#Tbgk6L_^U<=FFJr9lm#Nc|TPADKZM&LG%WK>yUQrifo>mTr7LOSCn@DLkQa^?8fJxLcgeutgb&Wr5QjcS^"
        "0`)JS6&5YJhc<m)d^vB!>Aen8c&hrXZiez_y?WBMZ?8KiFd0W0bBI_}UP(m=>hYNEHrEnQX^+CH5&&V%sgt<VuR0a("
        "m6oM{?M6E%MYg4rF>4H$@na9R_`97le_l3C_r8K9+0fYwUnl7M&J>k9HN)0>ay1FP{HZx7GafzYHz<BscR1T+Fb@&x"
        "E_;cV9KVrpMB#bPrwuy3=bpJ=KR36-nQ-tIVX;q0"
    ),
    "Hex_Digit": (
        "c-k}IVrP?LYyPVVrU4O?0!R"
    ),
    "IDS_Binary_Operator": (
        "c-p&Pz{JGWT*wFj47vhS"
    ),
    "IDS_Trinary_Operator": (
        "c-p&P!~_5Xh5=L"
    ),
    "ID_Continue": (
        "c-mD|%Wsrb6z80K?(=)M!@Syglun1X)7BPB%TNPtux;9c_<%-TD3}0=5G27zB60CeClO=ZC>z~qT(}{uj0;`j+O_|V"
        "=Y9i5?#%t}cfa$zzjJ<f+37j~)L#Jy00^=IEjZezFqWD>WS;^e%a!C!3EqZ00Eu}Qx(I5{EEYBhU?zwff!wECV9>!h"
        "Lb`!B<2CZ)rLjp0WEHeNfE>J-l@QCo5d@*-cQQa69K#|D0g6U)?;P2`<h>A}ITf7-0xSp^$tC*}AP^ElXEndS@a<*Z"
        "x6pz{dXRF~?1os~hhdi@B<a7f0AiO$Y+qqD@1HdClXF9t5|~2byw8zLdMl0{dYjWcr6kQ!oZ|N}QRN%~H7hBOWt2mV"
        "&dCJaNgrE6m7f*#uxfBfZQdvsfFI<bLnRo4j)nfddL6so0DCaF%prYQ2<LcC{kKb?&(Dh}tc}z35S19-#SH55Km@vM"
        "%R#Bg62q%LX>?Np0`;!$$sN~%kU}?$GFYIx3T7th0yHpCE&>xn3&YZ7;W8V35}q|qtY9E}C{h6@<*<wjyF3kyMhnjr"
        "CFMFX;))`MNGG_0<1h&kq|xb!7_SV-HvynhBfAudv4d>x@#pzXWy8^N&uU1jT+o+)?V%L4gsULwkPrWX?7{n4dpR8*"
        "`)zYGe;Qp}!a*b^OUn%6gBgpr@vYK2!T4&p!<DHDfEDb74Y3smss-ydMyD!buPQJ_=@g$v6)}4dtA|{Cr~c`L6<T>l"
        "gM0W<SBFxDd=~k<@$XIz?u>2X+H6Q^nhLCnwuD@dKWCMDPZTauOoveCzUMZ@_{78QGr55r8)7AaRy%6So@`==Ng(I*"
        "Cdcehhi1)c7(h}q^7B=!hJ$rmcBZOe9_+T_R$B0M!HTQc))xDBWmi}A?pcMKjI#7y+dx6kZivRTfo5%uHO8Z{dwc7r"
        "xgN8|sjiSv$-kKQgh<t?X$NMiRh~aSQL($N)V``As%fXrfFm*;<hVo(0Zfm<jH2^J2XcN+Z!m!LfBJD_GyOcZq-H9}"
        "z*ilh3!{~FBWxT<_S@WHj<~$LhPI+kY;k+KZl8meCMPf<r*z)mxVeAaFy@9$n_L+ix*dZ{em`-+fZ1o(?cFx-OeIcP"
        "SOlB6YLhdG_k1o3!iThcT*d1QPsQ#R$mO3^YzA{eM!_|>@>TuT$65Z`<4ZS^N6Ts1{WKwmyTA9(eY-R4>lQe5g=dq="
        "vTm6*_P88BT3!?`-`Q-}u(ohOeVuJ`l7Y5=9L}|GJoxKNDzF$#C(vLhVlqeJcXUTa!fGe*=QrI@En#KYltLMUx=DFS"
        "9Bo{KU4QZUs}aKDlGtMA8eS(EH*P<nVQ>{|P~-dh<!SKL@Yp(?G7v*qLh|U1mQwjO4H*_yk>{u2{-WT{Cm3wCvU5j="
        "^Z8*f-)=$KV18YDesV$c?Lg06BKLKdV8Yjn|Bhum)Mx>Jrxf2`48QXSrb59%##exZ?8jC2NDcnJ-u|VDPh<RZB^loP"
        "{=~5P&4<4p$Y=9Ueo*=Se*ug7h~@"
    ),
    "ID_Start": (
        "c-mc5OOF&)6!ts!-n#YddUQ`$KdXA^rlB80_dw4u0}1p9I6*WRP!dcefPje*G=ap#$D(RFQDbzW>`hp>!;NvFOI*A5"
        "?|7;kOt32VR_>|u_`dVFdkv#8fei^2BgMg+(k&?sAcF#t1Pnm%xq_?695d^qPcR1iO({1<UBZWePnv8&2!N!0-9c^L"
        "VnbDxu-G)NYe&_fgW;)dfe70618EXb6&y!M!FC=&l*oo@$d#OmH|6MM5fn~VGF9076vKIGzmz3x?IUEULO?PQfCLF4"
        "+$v^f0Re$PLogpoAXgH5X~{C5!Xm<;z^{ZUYKDqLjiH0|sVT_SrwWe>HQsHI1yaD8?BJ}4UQ<09RS+1Gc?i-%dM?6#"
        "p-v;@Z$na%Oi2S?>;Ij6?DBr@a1dN0Lo6Oph=#f(936S(QdIJo&#cQeId@$T*w-6&x|xu2#<H;;TU%G~!6Y=d6OZh1"
        "qc;$Cj~q23F_2s=5>VNEo>$4BJ}(oiC#9`rz6BU08Pa3=`Y}8N-d&Ew$p;z6N;e>>ltegq@>zD*;EcK}MmrioY-zmm"
        "F8ZQwX+=t2lM3%csu6C4ooTRm?YH?nd*+=xM!6>fn<|qarFV{4^buXDgq(AUxIHT!KVxu%k<+r{dRtFg2o!8vVGs+L"
        "72d>g#!aM(GSmb)TDS%?GnPn3C>f91|Mc8gZa$a!L;AR{U8Rard5js$R(i0W-;d_Bebjxdkm(*by>neGosj6dXrRnm"
        "K9vrAabYWW+G2Ck@e<Xy6Y6ols9}~wJ=v2-&6(@KUpC&0ub8>{Nvmp`H3LIf7Ys%@E~-GW9b4%hJGQGf2kh?{G>0#l"
        "cYD|t?XHPdbDRH_z3Ab^lPA0rUa#M>;_UOGL4mQ;=5eSFqho8$*xlMCg16DBH+pRjZFU9RX-Tdzy>5hhna(cziV@j*"
        "(tl+*BDg9kiVJWN>#R23ieyD3(+Z2SoykD<rWKqXdDw3r*4gg(@jNv-X(pT0eAd5V(h(kQv|u0ASc7w{jOb#vzn)q+"
        "9AY#1v<TH-L!G-1of6`4F3W7`;n0`3{B`5rCt-H}$y>MlZ>FJ9|GB9a`@iod-``&B>NLC@CebvI>6$7ZOgFNt^G==W"
        "<4X#!dvgX@Qq~{W2Ax}v{`yKTDdk-sZJzOxG!NV#<$dJ|OWVKRdk_0O-^GYaxQtd~k4MbpZ>zZ6xPvtEcd5=PNdLFY"
        "A7-gx<myZoZP+?MzL!MfgFCJ44&N-<<&-N%(4;KNZt7xIIM3OI)8{q5ok=u{)Do6=D2nS+u7*gwkiUG2Q$ay46>NlD"
        "9EI@d`TXyjou>&sE76~u{^H?JhZf0qw|}{$o)7;8J~)9g"
    ),
    "Ideographic": (
        "c-jF(0K5O-1_Bug4g-fpvp_(BqyT}k0D^7;YJuts0SyHSxmGD4VROcPgA9S11cJ?AAfg@utquaZF%N`plOlv3i(;lr"
        "1;Q%ws}|h"
    ),
    "Join_Control": (
        "c-lL_!vp{VT>#G"
    ),
    "Logical_Order_Exception": (
        "c-ouez*@~ZwSbw4v1wry6B8pN696xe1QG"
    ),
    "Lowercase": (
        "c-qZV%}Rnn6z$yk^;1jiha4p=B{CNY+NL0k$QBXw2=xFhgIcthBB>UF8<)L6Z_?xR1kH@O@TV+A=<t2RJ$GjAxeVuC"
        "njJ*oD6T?dGSC?Qo9m21#EARVG3xDwkNKF0NziclVLkFGhKZpll;AynOa(=2;sWJRmv|c40*HMlA$(Ir)yjCO*z`|M"
        "m@z7)&Pf^k@kX}E^?PmWhxmtx&0ayvNIP`bdC~y_B%NnLnv+XKF1ke$spOUOGeg$-$hq3>a;&E~ny04KsC-!-!DR%^"
        "X8%5<f?8tJ8`OR*{^{}$r<oOfbgCw!en;~zW22``3}pC-X;}72*4!;)UY^_6x=M(rl6gMcvbt!qaV$WA9**2JV;iv-"
        "QN3H~?B(s-Tz)@e-y6m#q>VAYibC8BBA3fRnt>l^)gmlOc`pvywT(~A<t6O"
    ),
    "Math": (
        "c-l3NO-lno42JhfGPB$Lsuc^xwN|B`L=X|ggJ41M>Onz7#J|$r>cOi=5B>p<{y?*Sgc&lKJbCjTu%<Jnz#+yyGoJ5M"
        "*c8##P`@e~El?_I8;2q+DnrG>y2Fx##OSq%BT;L(oDdNc+kq%`TV}Q)_iQ&Xp-8)PDRYbF6B-=%`63H)=C7#@w7tG)"
        "lT~swme_qf@Nybqx#tdhfBjwh8hhWBu6^Qlc*_;O+Qp30yD1AyGS6FXFMy`BH`31K_%ksYg#P5-^oYO7slWgK=qqy("
        "`vG!BL0xQgB5#j_Z}+Jdy8"
    ),
    "Noncharacter_Code_Point": (
        "c-m|J9iY&{$JG44jv@>I(qtl|"
    ),
    "Pattern_Syntax": (
        "c-m9s=VF&)VPuqIQDSFgWMl$i7Dg6EW=3&FdB%Mb5*++Y!i-!^hOGgO3N2-F9XTxwjSS6<%q)`pjLoxnnVMLc0O@=Q"
        "!2"
    ),
    "Pattern_White_Space": (
        "c-rG+6=F<b+|R)z!2|#Z9|39"
    ),
    "Quotation_Mark": (
        "c-m89WMOP%X5?qw7sDaRG>4tB*^`Brxp|HvOQS7NDvAjJUquDu"
    ),
    "Radical": (
        "c-p(mAjKHT(-;N-3ULB8"
    ),
    "Regional_Indicator": (
        "c-m`!oF)YT1+M|?"
    ),
    "Sentence_Terminal": (
        "c-kG#%_>A;0EhAZ&wJh}->1~DnFS3wnA9{Y(=5(LaRJyVEGSDy$yfh(#)z_{l%>0HMef4k0-k=)lBSjGWmldL?r9_V"
        "N&`uOw8HBt<EApkQQpBVI*Ll$q~pxXOaiUoJ|$0WEie&2wnFM^Mooqt`R7(?7N006-Lub;yvQGu<7@eARnV^?7yl2X"
        "-Y$8*i<_ATRM|tYXej3paiO$MMXHE%=XD)Mv3~Ro2MpUh_SnPk1&%72(x@P<$)62<pXnD+Kr5g"
    ),
    "Soft_Dotted": (
        "c-qTkYII?2l4O))G+`8BY;s^sVq|38#K~yP$jivg*vP`zD9hNa%GemjG|h;y?Yt_J5e_(!jj_p)Ns18wIW7$)"
    ),
    "Terminal_Punctuation": (
        "c-lSA-ztM~9LMoKpYQkg^LS<`X--BYYxanwvB_$sCKuq(k)lW(IGBSqS>N9t&x|Wj4&8+-au*&aZs7HPFCzv}pdf1@"
        "LJBl+glRx*2ekrVcdUCvO9+nRE-iuju*+;d${e1gLo17*qGV_?T&k@wCZsI3?^+zKqQpu0*p#r1BJ{6D;V_~7^cjj`"
        "S1vsBgcq=q*qjV7OY6bD)<8A{YSsV4Hi*|IwlMav4nm!_;1B(|j`m!lb};dv12NF&#+kcESm&cmF<h(6+~%sJE|;v&"
        "Q!0mxvVj-JW4_g#z4vGiZHbXq87j0-kMA4(1%Ko*n*"
    ),
    "Unified_Ideograph": (
        "c-nixu-U<(aS21?7Ct6MMn)zsMi9xw+|nJ^bT&a@ksQ-nKBirU{4IHlm6mz49?}8;OHU2v"
    ),
    "Uppercase": (
        "c-nK6N)=~hS7am)FcIJrqn()v%wlF@0g*r+6HE?_m_cl2Ms`LfMkXTc1FK<XBpa{;4FH<J0^>J<f`*xqgOLqlEEA(3"
        "Bd0RZMY!x>1v{I`*npr_oKy&NCPvx<CbemvY9LRw28B%&W@OW5Vs3I^9E^aI_BL>EuyJt!0UI||goDF_g$D##xmlXn"
        "fQbf}e1Qp=nUxJ9&%(sQ#l*@eB_Pb$W+c^TU|;}E?u_6R#>B|MO#6W009)4h$(JNu!g%Bw*-^NZ`GE^18M8n+%-FLQ"
        "E1C!kwk#mQ*tkwxs?$}Ykwc|XhMSQeRCx4e88^y`O|w#HT+N{1AlZ1zT?!09c@>C&g%1ai#{`Tr4n}rqAPusMnO#~6"
        "0puhVVUTf=snP^KDK;Pk0O^<^Oa"
    ),
    "Variation_Selector": (
        "c-q^*&CJNye7ZnjOKU-60RSO01t|"
    ),
    "White_Space": (
        "c-rG+6=F<blww>R&p4@`Tb7BHQJ-<X0wVw{bOYW"
    ),
    "XID_Continue": (
        "c-mD|OK%)S5KdKBKc?qxulHr|&ThQk*k0S%iDPGDl-LS(WIG`|VheJB1SyFGQHT^C5)nwVUWp*Y1#*E4hyxdt6XF2J"
        "aOTY4p?cOqq<4FIdg|F<)z`~b*9oBh5?BC0kQK<_Xpe$OYW|RZ3@8MElDsLwn~?h;G4DbbLCu-P!Uh4%BvHecdvpg3"
        "S{O%2Ht=?|MozpmHbuUyg4X+xgA=n7Vi`DsAoTd13=jv$pvXdiqLJJ=NA@py&v|H0RVTgx4+M<llKlw~2r;4cG`~Oh"
        "?PSik(1J#KkZ{)QhFIN&VV5Ex>AtW4BAbM4Utu-ppEUB5b3>aDm_lNm&yh?zD~=sFn=?G6B+XH*;`cF8<s1PuD=Cg;"
        "ltm2B%NXn_7h6J=pA~elYOqKx-YDyX8)TtFB^ZN_2mL+uDt4U#_F!<8L%OmM&hc#jw~L|A&r2vgFG`X_RAP7!Q>e>*"
        ";p?(j_De;U7+iNrqiqZD)!Vu!cWed$1$Gvtzd&{6&rH!pXrQlb2quCIgVI%DQ!n@^IA^R_L0|SzBmz#!VHp*6c^Vjv"
        "49^xN<vKCqib94+$GC#yFa;qb;hB&auN25N0iaSNy99}`gLLl6r}=H=1*7Ah(-2p=pfCPfLn&%8S3%ODt1Y}Md+<)$"
        "T26*1e%sv4pN5x~a1e^A(lW#NaK^*C_(o}+V0<;$;o4NWnOCqAG{jcqs|?n?2(7A!-KxL@rB!?$RYdJUq#kkkt@@`E"
        "RA}WH4esOnT^&dn@M+|6>)&hVzRGWmZQ|OjRY{Tvtco@Z#W5=I#rQGD><v-4M=>2homs$5i_ytP+h=nFIX1*f3|T8|"
        "%ARauhbbZF^CrjdP={vCYT!d$wDs{SR)fL1SGK0AU>>|}#f`P#$b%JI@v<%UZ_Bo>>fLh+HyLy3dbojtpw$qKX#>sL"
        "8f%P)WA}I0&v12Sja6MCp^|?#@92@J)6*7AJ1fsmOjf+hS>nB{A*^Yu&VnT}9ptz~3<pe)!Hl8{ML%+WR&Owv^nWsP"
        "n{&Y&(WGW#NZ<7UKo>?U>xS6am+ZH>!;G<ccMZLYI=RKoYP)?7TAG@~n5@!yf8+Mvgkk&*n>M*hUSM|&F1h{WMFVD!"
        "Ik<b*yw#4a@?a6X*jAgINwn*7Sr9Iy$H!H?&hS+1et~TMNySTHPRP(dfNNjY?|hi%uROVOD}KD3l<kj`a(Mao{`qfq"
        "hJBrZRo8ennL6tpbI6;J<44Pj!sa`hts2%A_NlMaO-|C+-XDi^ty>TO`kV?Z2GcP#7>bC@QSdE&AVcA4EAXe+?NBXY"
        "W!RKL8H2h>c}W~?9KdCF4Z4dGg5t{9Vjde_rx-VGMWJDE9cxhI+xx|7@bvJ+I-NEUL0Lll__a)_{6IsBMOEa5Hau7q"
        "%mRYJR+gSWI-JiBd--+-WrO)m?byl%&9{9$cZKX%U4lthFaBGW@ld11wfyM&^Wk>xz*Hz$NclpLkp8f0AFILNH(Nh9"
        "@o9vAuEfLp-<=#bzkctRefezu*Y8#S;9u1uiDd"
    ),
    "XID_Start": (
        "c-mc5-H#Jh6!&-Ty>sWY^U-dnpEF(BE%ak)7rM(XB+!+`4Wd~CN&<-l5HL}KCXkT$l}xvZ8lw-&y9p1z;fwJ>AMx2|"
        "{~gb?V1jpg?_^HT@0{QHy1O-_Hi8Wa6(hyro6;>P4IqO82>}=YpD5u9GRMri=n{<HeqGA-L7VUa;FBg>5CR}+UUN`c"
        "wTSJNB`k)<Rqdz>bkIM&B@jW|ejrUEDuew9DH!JwM1gFWhFr=ie^Ln)MUWd=%2bZ`DTebBzmO%2_7O5w<|~;9m^pJ7"
        "ZW$9Zr+`49CcvNsaw)MFNS65&<{o-Ee<e&&F;pZfOdX_8j{#4g&Mhib__XsMDPTpmaLz=ht{x6b2n@+_2+~4&F2ZiE"
        "P6N!|hNL{1l6t&X|NHW>!{_<6Ah=3~nBS)mHFZfiI`WEzsNiutlQ!4n{59QUTW{FuMncLN%Gy?JZC=LvqtM(+JhF$i"
        "PEXh!a@2rCPjazHKxNbEtV{-Vd7D_Slr|Un7GRQONRPwUkKiHj?y@INKFBbZx&cY0B*Na4$Jt$jGwLoQ+SUkSOXHPi"
        "-W63#D^l{RA#fd14R9lDjf44XzfGsvGw=Lynt39ysWb{wdgrJ`AJXMg$T^pYo0Gzcvy1~d4Lhzj^{9bB!L}88v4C0P"
        "L!4mVL@F;sMUbO~Yj9-7g2?~{<6-lkjvLF3=W_OdKI&>$sk}}ebH<{T?yqK!kzJ3bv~|pWjAchJ)>j=K0B4(0u`o%Z"
        "?V^SvV|*$c`TWA>%xQ{^QOiqI*G{Oz-J|+h5_M!p9y2Gd1AozmFWzF}&Q4in+pHMq!@6KF=V4wGitX4+ciFIAw%KKO"
        "+n_0Y$xNF4rf9ZJH0oRYU(t&mTs(EsJLz@04J*z*>l+jp+f5#haz8r0Qjguu9U^$^t!k~)WY=a}z#SLl3Ww8<P%YBA"
        "MVB!nTaUW0j7kJoC3&d<E@_q3hMSQriDX=2QMNtm$<DZhGXoF%^);RC3?EHXlT&Ciq~f#w4U>-YprZl%n8pg6<3&Ul"
        "v;Ec7!di%p<kQ?$cLi1MMYIZthcj7Zq=zG4;Na`py-&hy@5x)Y{BOpgQT@5D=KH_zB;Vhj@8~o<2$N_W$aF;&56A1-"
        "m1(O=)!`+D*S#qdEGX-btG(8(hkt!37a`5sKAJr71!*3-Kgy4lCoFCMdhb2#^R(v!FX1v<ja?o%li!W}s^bRGn7vC?"
        "PC@#=ZT>Jx4P&OxX3@H>1I%`lXn1(1k=@~YCOb&EVgyafqU@&5Cx`Q#T{yF+@$E#So~M?uxKWW`o^sh|;)VR>%D?gu"
        "<U+wl$i-0zpYF~6zS(-3(6a*lx#7<r{B&fVe0TeoOX_+5Uvlh$u>"
    ),
}
